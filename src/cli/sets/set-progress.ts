import type { SetEvent } from '../../engine/set/run-set.ts';
import { toneOfSubject } from '../../report/terminal/set-table.ts';
import { listOf, oneLine, type Paint } from '../../report/text.ts';
import { durationText } from '../../report/wording.ts';
import type { SubjectStatus } from '../../run/subjects/subject-states.ts';
import type { CommandInvocation } from '../command.ts';
import { lineFor } from '../output/event-lines.ts';
import { paintFor } from '../output/paint.ts';
import { SILENCE_MS } from '../output/progress.ts';

/** Shows the work on a set: permanent lines, each with its subject. */
export interface SetProgress extends Disposable {
  follow(event: SetEvent): void;
  note(message: string): void;
}

/** Where a subject must be for a line of its own. */
const TOLD: ReadonlySet<SubjectStatus> = new Set(['interrupted', 'paused', 'failed', 'completed', 'blocked']);

/**
 * Shows the work of a command on standard output, with --json on standard error. After a silence it reports what is
 * still running, so that it does not look stuck.
 */
export function setProgress({ world, options }: CommandInvocation): SetProgress {
  const screen = options['json'] === true ? world.err : world.out;
  const paint = paintFor(screen, world.environment);
  const isQuiet = options['quiet'] === true;
  const running = new Map<string, number>();
  const told = new Map<string, SubjectStatus>();
  let spoke = true;
  const say = (text: string): void => {
    spoke = true;
    screen.write(`${text}\n`);
  };
  const timer = setInterval(() => {
    const now = world.now().getTime();
    const names = [...running].map(([key, since]) => `${key} (${durationText(now - since)})`);
    if (!spoke && names.length > 0) screen.write(`still running: ${listOf(names)}\n`);
    spoke = false;
  }, world.silenceMs ?? SILENCE_MS);
  timer.unref();
  return {
    follow: (event) => {
      if (event.type === 'subjects') {
        for (const line of changes(event, told, paint)) say(line);
        return;
      }
      const { subject, event: inner } = event;
      const about = subject === undefined ? '' : `${oneLine(subject)}: `;
      if (inner.type === 'started') running.set(`${about}${oneLine(inner.unit)}`, world.now().getTime());
      if (inner.type === 'ended') running.delete(`${about}${oneLine(inner.unit)}`);
      const line = lineFor(inner, paint, { agents: !isQuiet, checkpoints: false });
      if (line !== undefined) say(`${about}${line}`);
    },
    note: (message) => say(`note: ${oneLine(message)}`),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** A line for each subject that ended or cannot start. */
function changes(
  { subjects }: Extract<SetEvent, { type: 'subjects' }>,
  told: Map<string, SubjectStatus>,
  paint: Paint,
): string[] {
  const lines: string[] = [];
  for (const [id, { status, reason }] of subjects) {
    if (TOLD.has(status) && told.get(id) !== status)
      lines.push(`${oneLine(id)}: ${paint(toneOfSubject(status), status)}: ${oneLine(reason)}`);
    told.set(id, status);
  }
  return lines;
}
