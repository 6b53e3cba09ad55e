import { readFileSync } from 'node:fs';
import { answer, FILE, functionsOf } from './protocol.mjs';

const functions = functionsOf(readFileSync(FILE, 'utf8'));
const open = functions.filter(({ done }) => !done).length;
answer({ message: `${functions.length} functions, ${open} of them not implemented`, functions });
