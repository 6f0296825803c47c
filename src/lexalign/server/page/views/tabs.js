// Text or documents.

import { byId } from "./elements.js";

const tabs = [byId("text-tab"), byId("documents-tab")];

export function setUpTabs() {
  for (const tab of tabs) {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      const other = tabs.find((one) => one !== tab);
      show(other);
      other.focus();
    });
  }
}

export const showText = () => show(byId("text-tab"));

export const showDocuments = () => show(byId("documents-tab"));

function show(chosen) {
  for (const tab of tabs) {
    tab.ariaSelected = String(tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
  byId("matrix").hidden = chosen !== tabs[0];
}
