import { AGENTS } from './agents.ts';
import { SINGLE } from './single.ts';

/** A pipeline to start from: files by path, relative to the folder that `gateline init` works in. */
export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What `gateline init --template` knows; a test runs each of them. */
export const TEMPLATES: readonly Template[] = [AGENTS, SINGLE];
