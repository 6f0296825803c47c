// Firefox's engine under node: a JSON list of texts for each line of standard input, and the answer in JSON.
//
//     node engine.mjs .../node_modules/@browsermt/bergamot-translator MODEL_FOLDER
//
// The first line that it writes says that the model is loaded.

import {readFile, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import * as readline from 'node:readline';
import {pathToFileURL} from 'node:url';

const [packageFolder, modelFolder] = process.argv.slice(2);
const {BatchTranslator, TranslatorBacking} = await import(pathToFileURL(join(packageFolder, 'translator.js')));

const names = await readdir(modelFolder);
const read = async (start) => {
    const name = names.find((one) => one.startsWith(start));
    const content = await readFile(join(modelFolder, name));
    return content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength);
};

class LocalModel extends TranslatorBacking {
    async loadModelRegistery() {
        return [{from: 'source', to: 'target', files: {}}];
    }

    async getModels() {
        return [{from: 'source', to: 'target'}];
    }

    async loadTranslationModel() {
        const [model, shortlist, vocabulary] = await Promise.all([read('model.'), read('lex.'), read('vocab.')]);
        return {model, shortlist, vocabs: [vocabulary], qualityModel: null, config: {}};
    }
}

const options = {workers: 1, batchSize: 32, cacheSize: 0};
const translator = new BatchTranslator(options, new LocalModel(options));
const translate = async (texts) => {
    const asked = texts.map((text) => translator.translate({from: 'source', to: 'target', text, html: false}));
    return (await Promise.all(asked)).map((response) => response.target.text);
};
const answer = (value) => process.stdout.write(JSON.stringify(value) + '\n');

await translate(['One.']);
answer({loaded: true, resident: process.memoryUsage().rss});
for await (const line of readline.createInterface({input: process.stdin})) {
    const before = process.cpuUsage();
    const texts = await translate(JSON.parse(line));
    const used = process.cpuUsage(before);
    answer({texts, seconds: (used.user + used.system) / 1e6, resident: process.memoryUsage().rss});
}
await translator.delete();
