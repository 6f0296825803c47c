// The page: state, API calls and views are put together here.

import { onKeyNeeded } from "./api/client.js";
import { listModels } from "./api/translation.js";
import { followSession } from "./state/history.js";
import { followInLink, readLink } from "./state/link.js";
import { restoreText, session } from "./state/session.js";
import { choose, refreshGlossaries } from "./state/terms.js";
import { typed } from "./state/translating.js";
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
import { field, fit, setUpPanes } from "./views/panes.js";
import { setUpProgress } from "./views/progress.js";
import { setUpTabs } from "./views/tabs.js";
import { setUpTerms } from "./views/terms.js";

onKeyNeeded(askForKey);
setUpPanes();
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
field.addEventListener("input", () => typed(field.value));
window.addEventListener("resize", fit);
// Only where the browser trusts the address, over HTTPS or on this machine.
navigator.serviceWorker?.register("service-worker.js").catch(() => {});
start();

async function start() {
  try {
    await begin();
  } catch (error) {
    session.set({ status: "failed", trouble: { message: error.message, retry: start } });
  }
}

async function begin() {
  session.set({ trouble: null, status: "idle" });
  const models = await listModels();
  session.set({ models });
  const linked = readLink();
  const [first] = models;
  const from = linked?.from ?? (models.length > 1 ? "auto" : first.source_language);
  session.set({
    from,
    source: linked?.source ?? first.source_language,
    target: linked?.target ?? first.target_language,
  });
  await refreshGlossaries();
  for (const id of linked?.chosen ?? [])
    if (session.get().glossaries.some((one) => one.id === id)) choose(id, true);
  followInLink();
  followSession();
  field.value ||= restoreText();
  if (field.value) typed(field.value);
}
