// Files that are dropped: what takes them is marked while they are above it.

export function acceptFiles(element, take) {
  element.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    mark(event.target.closest?.("[data-drop]"));
  });
  element.addEventListener("dragleave", (event) => event.relatedTarget || mark(null));
  element.addEventListener("drop", (event) => {
    mark(null);
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    take([...event.dataTransfer.files]);
  });
}

// What the pointer is on, or else the page as a whole, which takes documents.
function mark(target) {
  for (const one of document.querySelectorAll(".dropping")) one.classList.remove("dropping");
  target?.classList.add("dropping");
}
