// The page: state, API calls and views are put together here.

import { onKeyNeeded } from "./api/client.js";
import { listModels } from "./api/translation.js";
import { followSession } from "./state/history.js";
import { followInLink, readLink } from "./state/link.js";
import { direction, session } from "./state/session.js";
import { choose, findGlossaries, followOtherTabs, refreshGlossaries, useDirection } from "./state/terms.js";
import { fail, retranslate } from "./state/translating.js";
import { openAlternatives } from "./views/alternatives.js";
import { setUpChecks } from "./views/checks.js";
import { setUpCopying } from "./views/copying.js";
import { setUpCursor } from "./views/cursor.js";
import { askForKey } from "./views/dialogs.js";
import { setUpDocuments } from "./views/documents.js";
import { editSentence } from "./views/editing.js";
import { setUpHistory } from "./views/history.js";
import { setUpLanguages } from "./views/languages.js";
import { setUpLinking } from "./views/linking.js";
import { setUpMatrix } from "./views/matrix.js";
import { tell } from "./views/notices.js";
import { setUpPanes } from "./views/panes.js";
import { setUpProgress } from "./views/progress.js";
import { setUpTabs } from "./views/tabs.js";
import { setUpTerms } from "./views/terms.js";
import { setUpTextField } from "./views/text_field.js";

let begun = false;

onKeyNeeded(askForKey);
setUpPanes();
setUpTextField();
setUpProgress();
setUpLanguages();
setUpLinking();
setUpCursor({ open: openAlternatives, edit: editSentence });
setUpChecks();
setUpCopying();
setUpMatrix();
setUpTerms();
setUpTabs();
setUpDocuments();
setUpHistory();
followInLink();
// Only where the browser trusts the address, over HTTPS or on this machine.
navigator.serviceWorker?.register("service-worker.js").then(keepPage, () => {});
start();

// The files of the first visit came before there was a worker to keep them.
async function keepPage() {
  const { active } = await navigator.serviceWorker.ready;
  const files = performance.getEntriesByType("resource").map((one) => one.name);
  active.postMessage([location.href.split("#")[0], ...files]);
}

async function start() {
  if (begun) return;
  try {
    await begin();
  } catch (error) {
    fail(error, start);
  }
}

async function begin() {
  const models = await listModels();
  const glossaries = await findGlossaries();
  if (begun) return; // there was a second start meanwhile
  begun = true;
  const before = session.get().target;
  session.set({ models, glossaries, trouble: null });
  const linked = readLink() ?? { ...firstPair(models), chosen: [] };
  useLanguages(linked);
  useDirection();
  useGlossaries(linked);
  addEventListener("hashchange", openLink);
  followOtherTabs();
  followSession();
  retranslate({ keepOwn: linked.target === before });
}

const firstPair = ([{ source_language, target_language }, ...others]) => ({
  from: others.length ? "auto" : source_language,
  source: source_language,
  target: target_language,
});

const useLanguages = ({ from, source, target }) => session.set({ from, source, target });

function useGlossaries({ chosen }) {
  const known = chosen.filter((id) => session.get().glossaries.some((one) => one.id === id));
  for (const id of known) choose(id, true);
  if (known.length < chosen.length) tell("The link names a glossary that this server does not have.");
}

// Somebody has opened a link in the tab where the page is open already.
async function openLink() {
  const linked = readLink();
  if (!linked) return;
  const before = direction(session.get());
  useLanguages(linked);
  retranslate({ keepOwn: direction(session.get()) === before });
  await refreshGlossaries().catch((error) => tell(error.message));
  useGlossaries(linked);
}
