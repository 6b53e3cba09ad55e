import { AGENTS } from './agents.ts';
import { SINGLE } from './single.ts';
import type { Template } from './template.ts';

/** What `gateline init --template` knows; a test runs each of them. */
export const TEMPLATES: readonly Template[] = [AGENTS, SINGLE];
