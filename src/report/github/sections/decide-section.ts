import type { UnitState } from '../../../run/state/run-state.ts';
import { code } from '../../markdown/markdown.ts';
import { block, type Section } from '../../markdown/section.ts';
import type { DecisionTarget } from '../report-input.ts';

/**
 * The command by which a person approves the output of a unit that waits, for GitHub's command line; `undefined`
 * without such an output. Every value is quoted for a POSIX shell: branches and files may have any name.
 */
function decideCommand({ key, status, ended }: UnitState, to: DecisionTarget | undefined): string | undefined {
  if (to === undefined || status !== 'paused' || ended?.value === undefined) return undefined;
  const inputs = {
    resume: to.run,
    decision: 'approve',
    gate: key,
    digest: ended.value.digest,
    reason: 'WHY',
  };
  const fields = Object.entries(inputs).map(([name, value]) => `-f ${quoted(`${name}=${value}`)}`);
  const place = `--repo=${quoted(to.repository)} --ref=${quoted(to.ref)}`;
  return ['gh workflow run', quoted(to.workflow), place, ...fields].join(' ');
}

/** How a person approves the outputs of units that wait: one command per unit. Empty if nothing waits. */
export function decideSection(units: readonly UnitState[], to: DecisionTarget | undefined): Section {
  const commands = units.flatMap((unit) => decideCommand(unit, to) ?? []);
  const fences = commands.map((command) => `\`\`\`\`sh\n${command.replaceAll('````', '')}\n\`\`\`\``);
  const about = to === undefined ? '' : `For commit ${code(to.commit.slice(0, 7))}. `;
  const text = commands.length === 0 ? [] : [...fences, `${about}\`decision=reject\` asks for another attempt.`];
  return block('the command to approve it', 1, text.join('\n\n'), '### Approve');
}

function quoted(value: string): string {
  return /^[\w.:=@%+,/-]+$/.test(value) && !value.startsWith('-')
    ? value
    : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
