// The server counts characters by code points, JavaScript by UTF-16 units; both occur only here.

const SURROGATES = /[\ud800-\udbff]/;

// A function from code points of a text to its UTF-16 units.
export function unitsOf(text) {
  if (!SURROGATES.test(text)) return (offset) => offset;
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return (offset) => units[offset];
}

export const toUnits = (span, units) => span && [units(span[0]), units(span[1])];

export const codePoints = (text, units) => [...text.slice(0, units)].length;

export const contains = (one, other) => one[0] <= other[0] && other[1] <= one[1];

export const overlaps = (one, other) => one[0] < other[1] && other[0] < one[1];
