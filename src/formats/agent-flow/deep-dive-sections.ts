import { z } from 'zod';
import { cleanEntry } from '../../memory/entries.ts';
import { firstProblems, issueLines } from '../read-state-file.ts';

const text = z.string().max(65_536);
const TEXTS = 'expected a text, or a list of at most 500 texts';
const lines = z.union([text.transform((all) => all.split(/\r?\n/)), z.array(text).max(500)], { error: TEXTS });
/** Lines, or lines under headings. */
const titled = z.union(
  [
    lines.transform((all) => ({ '': all })),
    z.record(z.string().max(200), lines).refine((all) => Object.keys(all).length <= 100),
  ],
  { error: `${TEXTS}, or a map of at most 100 headings to such texts` },
);

/** What the agent that puts the findings together writes: agent-flow's arguments of `compile-deep-dive.sh`. */
const findingsSchema = z.looseObject({
  tech_stack: lines.optional(),
  entry_points: lines.optional(),
  key_patterns: lines.optional(),
  overview: lines.optional(),
  architecture: z
    .array(z.looseObject({ component: text, location: text, purpose: text }))
    .max(500)
    .optional(),
  conventions: titled.optional(),
  anti_patterns: titled.optional(),
  quick_reference: z
    .array(z.looseObject({ task: text, look_here: text }))
    .max(500)
    .optional(),
  agent_notes: titled.optional(),
});

type DeepDiveFindings = z.infer<typeof findingsSchema>;
type Titled = z.infer<typeof titled>;

/** The keys of findings. */
export const FINDINGS_KEYS = Object.keys(findingsSchema.shape) as readonly (keyof DeepDiveFindings)[];

/** The findings in an agent's output, or what is wrong with it. */
export function findingsIn(
  output: unknown,
): { readonly ok: true; readonly findings: DeepDiveFindings } | WrongFindings {
  const read = findingsSchema.safeParse(output, { reportInput: true });
  if (!read.success) return { ok: false, message: firstProblems(issueLines(read.error)) };
  if (FINDINGS_KEYS.every((key) => read.data[key] === undefined))
    return { ok: false, message: `it has none of ${FINDINGS_KEYS.map((key) => `/${key}`).join(', ')}` };
  return { ok: true, findings: read.data };
}

interface WrongFindings {
  readonly ok: false;
  /** What is wrong, with JSON pointers. */
  readonly message: string;
}

/**
 * The sections of a deep-dive document. Each text of the agent is one line without control characters; what is absent
 * in the findings has no section.
 */
export function deepDiveSections(findings: DeepDiveFindings): string {
  const { architecture = [], quick_reference: reference = [] } = findings;
  const sections = [
    ['Repository Overview', overviewOf(findings)],
    [
      'Architecture Map',
      table(
        ['Component', 'Location', 'Purpose'],
        architecture.map(({ component, location, purpose }) => [component, location, purpose]),
      ),
    ],
    ['Conventions', titledText(findings.conventions)],
    ['Anti-Patterns (DO NOT)', titledText(findings.anti_patterns)],
    [
      'Key Files Quick Reference',
      table(
        ['Task', 'Look Here'],
        reference.map(({ task, look_here: place }) => [task, place]),
      ),
    ],
    ['Agent Notes', titledText(findings.agent_notes)],
  ] as const;
  const written = sections.filter(([, body]) => body !== '').map(([title, body]) => `## ${title}\n\n${body}\n`);
  return ['# Deep-Dive Context\n', ...written].join('\n');
}

function overviewOf({
  tech_stack: stack,
  entry_points: entries,
  key_patterns: patterns,
  overview,
}: DeepDiveFindings): string {
  const facts = [
    ['Tech stack', stack],
    ['Entry points', entries],
    ['Key patterns', patterns],
  ] as const;
  const named = facts.flatMap(([name, all]) => {
    const found = clean(all ?? []);
    return found.length === 0 ? [] : [`- **${name}**: ${found.join(', ')}`];
  });
  return [...named, ...clean(overview ?? []).map((line) => `- ${line}`)].join('\n');
}

function titledText(all: Titled | undefined): string {
  const parts = Object.entries(all ?? {}).flatMap(([title, body]) => {
    const items = clean(body).map((line) => `- ${line}`);
    const [heading] = clean([title]);
    return items.length === 0 ? [] : [[...(heading === undefined ? [] : [`### ${heading}`, '']), ...items].join('\n')];
  });
  return parts.join('\n\n');
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => row.map((cell) => (clean([cell])[0] ?? '').replaceAll('|', '&#124;')));
  return [columns, columns.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function clean(all: readonly string[]): string[] {
  return all.flatMap((one) => cleanEntry({ category: '', text: one })?.text ?? []);
}
