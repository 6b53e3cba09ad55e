import type { CodeMeaning } from '../code-meaning.ts';

/** Sets of subjects: their file, and running one pipeline for all of them. */
export const SETS_CODES = {
  SET_UNREADABLE: {
    from: ['user'],
    means: 'The file of a set cannot be read.',
    remedy: 'Pass the path of a JSON file with `"format": "gateline-set/1"`.',
  },
  SET_INVALID: {
    from: ['user'],
    title: 'Set invalid',
    means: 'The file of a set is invalid. The message lists the problems, each with its code.',
    remedy: 'Fix these errors and run again. Nothing ran.',
  },
  SET_UNKNOWN: {
    from: ['user'],
    means: '`--only-set` names a set that no subject of the file belongs to.',
    remedy: 'Correct the name, or give subjects the key `set`.',
  },
  SET_UNSUPPORTED: {
    from: ['user'],
    means: '`set.yml` cannot run the subjects: they are too many.',
    remedy: 'Choose some of them with `only-set`, or use `gateline run --set FILE`.',
  },
  SUBJECT_UNPROVEN: {
    from: ['user'],
    means:
      'The records of a subject name other files than the jobs of the subject reported, or those reported none. Any job of a run can write a record.',
    remedy: 'Run the set with `set.yml`, and re-run the jobs of that subject.',
  },
  SUBJECT_UNKNOWN: {
    from: ['user'],
    means: 'A step with the input `set` is about a subject that the file of the set does not have.',
    remedy: 'Set the input `subject` to the id of a subject of the file.',
  },
  SET_IN_PLACE: {
    from: ['user'],
    means: 'A gate with `workspace: in-place` works in your folder, which a set must leave as it is.',
    remedy: 'Let the gate work in a tree: `workspace: tree` in gateline.yml.',
  },
  JSON_SYNTAX: {
    from: ['definition'],
    means: 'The file is not one JSON value.',
    remedy: 'Fix the place that the message names.',
  },
  SUBJECT_DUPLICATE: {
    from: ['definition'],
    means: 'Two subjects have the same id, or ids that differ only in upper and lower case.',
    remedy: 'Give each subject an id of its own.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
