import { expect, it } from 'vitest';
import type { Entry } from '../../src/run/entry.ts';
import type { Command } from './commands.ts';
import { MOMENTS, watchOperations } from './operations.ts';
import { countOf, digestOfImage, entriesIn, Project, type Image } from './project.ts';

/** A command that nothing disturbed, and what became of the project. */
interface Recording {
  /** What is on the disk before operations: what a kill leaves then. Only moments between which it makes a difference. */
  readonly moments: readonly { readonly operation: string; readonly image: Image }[];
  readonly outcome: string;
  readonly agents: ReadonlyMap<string, number>;
  /** Entries that the log had before the command. */
  readonly earlier: number;
}

/**
 * For each command: records what is on the disk before each operation, then continues from there as a user does after a
 * kill. In the end all must be as if nothing had happened, and no agent that had ended may have run again.
 */
export function testKillsOf(commands: readonly Command[]): void {
  it.each(commands.map((command) => [command.name, command] as const))(
    '%s: killed anywhere, it is continued without loss',
    async (_, command) => {
      await using project = await Project.create(command.files);
      await project.take(command.prepare);
      const recording = await recordOperations(project, command);
      const faults: string[] = [];
      for (const { operation, image } of selectEvenly(recording.moments, MOMENTS)) {
        project.restore(image);
        const found = await continueFrom(project, command, entriesIn(image), recording).catch((error: unknown) => [
          error instanceof Error ? error.stack : String(error),
        ]);
        faults.push(...found.map((fault) => `killed before ${operation}: ${fault}`));
      }
      expect(faults.join('\n')).toBe('');
    },
    // Far above what the longest command takes with all its moments on a busy machine.
    1_200_000,
  );
}

async function recordOperations(project: Project, command: Command): Promise<Recording> {
  const moments = new Map<string, Recording['moments'][number]>();
  const see = (operation: string): void => {
    const image = project.image();
    // The last of several moments at which a kill leaves the same has the most leftovers.
    moments.set(digestOfImage(image), { operation, image });
  };
  const earlier = entriesIn(project.image()).length;
  project.forgetAgents();
  {
    using _watch = await watchOperations(see);
    await project.take(command.run);
  }
  see('its end');
  await project.take(command.finish);
  const agents = project.agents();
  return { moments: [...moments.values()], outcome: await outcomeOf(project, command), agents, earlier };
}

function selectEvenly<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.round((index * (items.length - 1)) / (count - 1))]!);
}

/** @returns what is wrong in the end */
async function continueFrom(
  project: Project,
  command: Command,
  entries: readonly Entry[],
  recording: Recording,
): Promise<string[]> {
  const added = entries.slice(recording.earlier);
  project.forgetAgents();
  if (!command.isDone || !added.some(command.isDone)) await project.take(command.run);
  await project.take(command.finish);
  const faults = findRunsTooMany(project.agents(), recording.agents, added);
  const outcome = await outcomeOf(project, command);
  if (outcome !== recording.outcome) faults.push(`another outcome\n${differencesOf(outcome, recording.outcome)}`);
  return faults;
}

/** Agents must have run as often as without the kill, without those that had ended. */
function findRunsTooMany(
  agents: ReadonlyMap<string, number>,
  undisturbed: ReadonlyMap<string, number>,
  added: readonly Entry[],
): string[] {
  const ended = countOf(added.flatMap((entry) => (entry.kind === 'ended' && entry.how === 'ran' ? [entry.unit] : [])));
  const started = countOf(added.flatMap((entry) => (entry.kind === 'started' ? [entry.unit] : [])));
  return [...new Set([...agents.keys(), ...undisturbed.keys()])].flatMap((unit) => {
    const times = agents.get(unit) ?? 0;
    const most = Math.max(0, (undisturbed.get(unit) ?? 0) - (ended.get(unit) ?? 0));
    // The output of an attempt without an end may be remembered already.
    const least = most - ((started.get(unit) ?? 0) - (ended.get(unit) ?? 0));
    return times > most || times < least ? [`the agent of ${unit} ran ${times} times, not ${least} to ${most}`] : [];
  });
}

async function outcomeOf(project: Project, { extra }: Command): Promise<string> {
  return JSON.stringify({ ...(await project.outcome()), extra: await project.take(extra) }, null, 1);
}

function differencesOf(text: string, expected: string): string {
  const [lines, others] = [text.split('\n'), expected.split('\n')];
  const added = lines.filter((line) => !others.includes(line)).map((line) => `+ ${line}`);
  return [...added, ...others.filter((line) => !lines.includes(line)).map((line) => `- ${line}`)].join('\n');
}
