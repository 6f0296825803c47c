// What deepl-node's users do, against the server whose URL is given; prints what came back as JSON.
const fs = require('fs');
const path = require('path');
const deepl = require('deepl-node');

async function main(serverUrl, folder) {
    const client = new deepl.DeepLClient('any', { serverUrl, maxRetries: 0 });
    const found = {};

    found.text = await client.translateText('das Haus', 'de', 'en-US');
    found.texts = await client.translateText(['das Haus', 'der Hund'], 'de', 'en-GB');
    found.tags = await client.translateText('<p>das <x>Haus</x></p>', 'de', 'en-US', {
        tagHandling: 'xml',
        ignoreTags: ['x', 'y'],
        splittingTags: 'p',
        outlineDetection: false,
        splitSentences: 'nonewlines',
        preserveFormatting: true,
        formality: 'prefer_less',
        context: 'Gebäude',
        modelType: 'prefer_quality_optimized',
    });
    found.sources = await client.getSourceLanguages();
    found.targets = await client.getTargetLanguages();
    found.pairs = await client.getGlossaryLanguagePairs();
    found.usage = await client.getUsage();

    const entries = new deepl.GlossaryEntries({ entries: { Hund: 'München', 'große Straße': 'Haus' } });
    const glossary = await client.createGlossary('Tiere', 'de', 'en', entries);
    found.glossary = glossary;
    found.entries = (await client.getGlossaryEntries(glossary)).entries();
    found.listed = (await client.listGlossaries()).some((one) => one.glossaryId === glossary.glossaryId);
    found.withGlossary = await client.translateText('der Hund', 'de', 'en-US', { glossary });
    found.fromCsv = await client.createGlossaryWithCsv('CSV', 'de', 'en', Buffer.from('Haus,"house, big"\n'));

    const german = { sourceLangCode: 'de', targetLangCode: 'en', entries };
    const made = await client.createMultilingualGlossary('Viele', [german]);
    const more = new deepl.GlossaryEntries({ entries: { Haus: 'Straße' } });
    await client.updateMultilingualGlossaryDictionary(made.glossaryId, { ...german, entries: more });
    found.multilingual = await client.getMultilingualGlossary(made.glossaryId);
    found.dictionary = (
        await client.getMultilingualGlossaryDictionaryEntries(made.glossaryId, 'de', 'en')
    ).entries.entries();
    await client.replaceMultilingualGlossaryDictionary(made.glossaryId, { ...german, entries: more });
    found.renamed = await client.updateMultilingualGlossaryName(made.glossaryId, 'Neu');
    found.several = await client.translateText('der Hund und das Haus', 'de', 'en-US', {
        glossaryIds: [glossary.glossaryId, made.glossaryId],
    });
    const csv = await client.createMultilingualGlossaryWithCsv('Viele', 'de', 'en', 'Haus,house\n');
    await client.updateMultilingualGlossaryDictionaryWithCsv(csv.glossaryId, 'de', 'en', 'Hund,dog\n');
    found.csv = (
        await client.getMultilingualGlossaryDictionaryEntries(csv.glossaryId, 'de', 'en')
    ).entries.entries();
    await client.deleteMultilingualGlossaryDictionary(made.glossaryId, 'de', 'en');
    await client.deleteMultilingualGlossary(made.glossaryId);
    await client.deleteGlossary(glossary);
    try {
        await client.getGlossary(glossary.glossaryId);
    } catch (error) {
        found.missing = error.constructor.name;
    }

    const input = path.join(folder, 'haus.html');
    const output = path.join(folder, 'house.html');
    fs.writeFileSync(input, '<p>das Haus</p>');
    const handle = await client.uploadDocument(input, 'de', 'en-US');
    while (!(await client.getDocumentStatus(handle)).done()) {
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await client.downloadDocument(handle, output);
    found.document = fs.readFileSync(output, 'utf-8');
    found.status = await client.getDocumentStatus(handle);

    const text = path.join(folder, 'house.txt');
    await client.translateDocument(Buffer.from('das Haus'), text, 'de', 'en-US', { filename: 'haus.txt' });
    found.buffer = fs.readFileSync(text, 'utf-8');

    try {
        await client.translateText('das Haus', 'de', 'en-US', { formality: 'more' });
    } catch (error) {
        found.refused = error.message;
    }
    console.log(JSON.stringify(found));
}

main(process.argv[2], process.argv[3]).catch((error) => {
    console.error(error);
    process.exit(1);
});
