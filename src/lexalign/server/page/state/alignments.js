// Which words of a sentence its translation comes from, asked for when somebody wants to see it.

import { alignTokens } from "../api/translation.js";
import { pieceMatrix } from "../text/alignment.js";
import { piecesOf } from "../text/pieces.js";
import { isFinal, targetOf } from "./segments.js";
import { languagesOf, session } from "./session.js";

const known = new WeakMap(); // by segment

// {source: pieces, target: pieces, matrix}, or null where the sentence cannot be aligned.
export function alignmentOf(segment) {
  if (!known.has(segment)) known.set(segment, align(segment));
  return known.get(segment);
}

async function align(segment) {
  const target = targetOf(segment);
  if (!isFinal(segment) || !segment.source.trim() || !target.trim()) return null;
  const state = session.get();
  try {
    const tokens = await alignTokens(segment.source, target, languagesOf(state));
    const pieces = { source: piecesOf(segment.source, state.source), target: piecesOf(target, state.target) };
    return { ...pieces, matrix: pieceMatrix(tokens, pieces.source, pieces.target) };
  } catch {
    known.delete(segment); // it can be asked for again
    return null;
  }
}
