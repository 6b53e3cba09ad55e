import { z } from 'zod';
import type { JsonObject } from '../../json/json.ts';
import { jsonObject, listOf, matching, oneOrMore, text } from '../file/gateline-values.ts';
import { MAX_TASK_LENGTH } from '../pipeline.ts';

/** Version of the file of a set. */
export const SET_FORMAT = 'gateline-set/1';

/** The largest number of subjects in a set. */
export const MAX_SUBJECTS = 1_000;

/**
 * Ids of subjects and names of sets. Every id can be part of the name of a branch and of a file, and be followed by `#`
 * and the number of a run.
 */
const NAME_PATTERN = /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<![.-])$/;
const NAME =
  '1 to 100 letters, digits, `.`, `_` and `-`, with a letter or digit at the start, without `..`, and not ending with `.`, `-` or `.lock`';

/** Whether the subject of a run could be one of a set: subjects outside of sets may be any text. */
export function isSubjectId(text: string): boolean {
  return NAME_PATTERN.test(text);
}

const name = matching(NAME_PATTERN, NAME);

/** One entry of the file. */
export const subjectSchema = z.strictObject(
  {
    id: name.describe("The subject of the run: part of every request, and the name of the subject's records."),
    task: text(MAX_TASK_LENGTH, 'text')
      .optional()
      .describe('The goal of the run, for every agent. Default: `--task`, else the `task` of gateline.yml.'),
    needs: oneOrMore(name, 0, MAX_SUBJECTS, 'an id of a subject, or a list of ids')
      .default([])
      .describe('Subjects that must be completed first. Agents find the files that those handed on.'),
    set: name.optional().describe('Name of a set that the subject belongs to, for `--only-set`.'),
    metadata: jsonObject
      .default({})
      .describe(
        'Your own values for agents and conditions, over the `metadata` of gateline.yml. Part of the fingerprint.',
      ),
  },
  { error: 'expected a map with the key `id`' },
);

/** The file of a set as written: the only definition of its structure, and of schema/set.schema.json. */
export const setFileSchema = z
  .strictObject(
    {
      $schema: z.string({ error: 'expected text' }).optional().describe('Address of the schema, for editors.'),
      format: z
        .literal(SET_FORMAT, { error: `expected ${JSON.stringify(SET_FORMAT)}` })
        .describe('Version of this file format.'),
      subjects: listOf(subjectSchema, 1, MAX_SUBJECTS, 'a list of subjects').describe(
        'The subjects, each a run of the same pipeline. They start in this order, after those that they need.',
      ),
    },
    { error: `expected a map with the keys \`format\` (${JSON.stringify(SET_FORMAT)}) and \`subjects\`` },
  )
  .meta({ title: 'A set of subjects', description: 'Subjects that `gateline run --set FILE` runs a pipeline for.' });

/** One subject of a set: a run of the pipeline is about it. */
export interface Subject {
  readonly id: string;
  readonly task?: string | undefined;
  /** Ids of subjects that must be completed first. */
  readonly needs: readonly string[];
  /** The set that it belongs to. */
  readonly set?: string | undefined;
  readonly metadata: JsonObject;
}

/** Subjects by id, each after those that it needs; otherwise in the order of the file. */
export type SubjectGraph = ReadonlyMap<string, Subject>;

/** The ids of the subjects that are to be run, in the order of the set. @param only ids. Default: all */
export function chosenOf(subjects: SubjectGraph, only: ReadonlySet<string> | undefined): string[] {
  return [...subjects.keys()].filter((id) => only?.has(id) ?? true);
}

/** Orders checked subjects (which have no cycles). */
export function subjectGraph(subjects: readonly Subject[]): SubjectGraph {
  const byId = new Map(subjects.map((subject) => [subject.id, subject]));
  const ordered = new Map<string, Subject>();
  const pending = subjects.toReversed();
  while (pending.length > 0) {
    const subject = pending.at(-1)!;
    const missing = ordered.has(subject.id) ? [] : subject.needs.filter((id) => !ordered.has(id));
    if (missing.length > 0) {
      pending.push(...missing.map((id) => byId.get(id)!).toReversed());
      continue;
    }
    pending.pop();
    ordered.set(subject.id, subject);
  }
  return ordered;
}
