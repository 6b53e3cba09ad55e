import { PERSONS_DECISIONS, RUN_DECISIONS } from '../run/records/decision-names.ts';
import type { CommandSpec } from './command.ts';
import { ACTOR, JSON_OPTION, SUBJECT_OPTIONS } from './options.ts';

/** `gateline decide`, whose decisions are commands, too. */
export const DECIDE: CommandSpec = {
  name: 'decide',
  summary: 'approve, reject, skip, force or adopt a gate; pause, close, pin or unpin a run',
  positionals: [
    { name: 'DECISION', required: true, help: PERSONS_DECISIONS.join(', '), words: PERSONS_DECISIONS },
    {
      name: 'GATE',
      required: false,
      help: 'the gate, or gate/leg; with pause, close, pin, unpin: a subject, or a run as in --run',
    },
  ],
  options: [
    ...SUBJECT_OPTIONS,
    { name: 'reason', value: 'TEXT', help: 'why; required, shown everywhere' },
    ACTOR,
    { name: 'until', value: 'TIME', help: 'when an approval or skip expires (ISO 8601)' },
    {
      name: 'output',
      value: 'FILE',
      help: 'with adopt: the output to use, - for standard input; it must meet the contract',
    },
    {
      name: 'run',
      value: 'RUN',
      help: 'with pause, close, pin, unpin: number or SUBJECT#NUMBER (default: the newest)',
    },
    JSON_OPTION,
  ],
  description:
    "Records a person's decision. It applies to what happened before it; `gateline run` continues from there. Each decision is also a command: `gateline approve GATE`.\napprove lets a gate pass that waits for it, reject asks for another attempt, skip lets later gates run without an output, force runs a gate again, adopt uses an output from a file.\npause keeps `gateline run` from starting anything until `gateline resume`. close ends a run that nobody will finish. pin keeps a run when old runs are removed.",
  examples: [
    { command: 'gateline approve review --reason "score is low for a known reason"', what: 'let a paused gate pass' },
    { command: 'gateline adopt design --output design.json --reason "written by hand"', what: 'use your own output' },
    { command: 'gateline pause --reason "waiting for the new model"', what: 'hold the run' },
    { command: 'gateline close login --reason "not needed any more"', what: 'end the newest run of the subject login' },
  ],
  load: () => import('./commands/decide.ts'),
};

/** Each decision as the command that it also is. */
export const DECISION_COMMANDS: readonly CommandSpec[] = PERSONS_DECISIONS.map((name) => {
  const isAboutRun = RUN_DECISIONS.some((one) => one === name);
  const summary = `decide: ${name} ${isAboutRun ? 'a run' : 'a gate'}`;
  return { ...DECIDE, name, summary, positionals: isAboutRun ? [] : DECIDE.positionals.slice(1) };
});
