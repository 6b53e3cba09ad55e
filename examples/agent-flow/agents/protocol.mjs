import { readFileSync, writeFileSync } from 'node:fs';

/** What this agent was asked: the exports of earlier gates, and the outputs that sent the work back. */
export const request = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));

/** The file that the agents work on. */
export const FILE = 'shop/prices.mjs';

/** Writes the agent's output. */
export function answer(value) {
  writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(value, null, 2));
}

/** The exported functions of the file, and which of them are more than a placeholder. */
export function functionsOf(text) {
  const parts = text.split(/^export function /m).slice(1);
  return parts.map((part) => ({ name: part.slice(0, part.indexOf('(')), done: !part.includes('not implemented') }));
}
