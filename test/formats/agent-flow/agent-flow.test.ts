import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orchestrationSchema, orchestrationText } from '../../../src/formats/agent-flow/orchestration.ts';
import { readAgentFlow } from '../../../src/formats/agent-flow/read.ts';
import type { SourceFile } from '../../../src/formats/exchange.ts';
import { FileFindings } from '../../../src/formats/findings.ts';
import { REPOSITORY } from '../../support/command-line.ts';

const seed = (name: string): string => readFileSync(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');
const file = (path: string, text = seed(path)): SourceFile => ({ path, bytes: Buffer.from(text), modified: 0 });

const SINGLE = 'orchestration.local.md';
const TEAM = 'team-orchestration.local.md';
const AGENTS = { exploration: 'Riko', planning: 'Senku', implementation: 'Loid' };

describe('the files of the seed', () => {
  it.each([SINGLE, TEAM])('%s is written as it was read, byte for byte', (name) => {
    const findings = new FileFindings();
    const { header } = findings.frontMatter(file(name))!;
    const state = findings.shaped(orchestrationSchema, header, name)!;
    expect(findings.problems).toEqual([]);
    expect(orchestrationText(state, AGENTS)).toBe(seed(name));
  });

  it('are refused with the line where their YAML ends', () => {
    const text = '---\nactive: true\ntask: Exploration: complete\n---\n';
    const { problems } = readAgentFlow([file(SINGLE, text)]);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/^line 3: Nested mappings/)]);
  });

  it('are read again whatever characters they have, and show none that a terminal obeys', () => {
    const findings = new FileFindings();
    const state = findings.shaped(orchestrationSchema, findings.frontMatter(file(SINGLE))!.header, SINGLE)!;
    const odd = 'a\u001b[2J\u007f\u0085\u009b\u2028\ufeff\ufffe\n---\n"\\';
    const { gates } = state;
    const changed = {
      ...state,
      task: odd,
      gates: { ...gates, exploration: { ...gates['exploration']!, message: odd } },
    };
    const text = orchestrationText(changed, AGENTS);
    const { run, problems } = readAgentFlow([file(SINGLE, text)]);
    expect(problems).toEqual([]);
    expect(run.keys['task']).toBe(odd);
    expect(run.gates[0]?.output).toMatchObject({ message: odd });
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('are read the same with line ends of Windows', () => {
    const own = readAgentFlow([file(TEAM)]).run;
    expect(own.gates.map(({ agent }) => agent)).toContain('Senku');
    expect(readAgentFlow([file(TEAM, seed(TEAM).replaceAll('\n', '\r\n'))]).run).toEqual(own);
  });

  it('give gates, groups, agents and the outputs of those that passed', () => {
    const { run, problems } = readAgentFlow([file(TEAM), file('deep-dive.local.md')]);
    expect(problems).toEqual([]);
    expect(run).toMatchObject({
      keys: {
        task: 'Add user authentication with JWT tokens',
        groups: { review_verification: ['review', 'verification'] },
      },
      documents: [{ name: 'deep-dive', text: seed('deep-dive.local.md') }],
    });
    expect(run.gates.map(({ gate, agent, needs }) => [gate, agent, needs])).toEqual([
      ['exploration', 'Riko', []],
      ['planning', 'Senku', ['exploration']],
      ['implementation', 'Loid', ['planning']],
      ['review', 'Lawliet', ['implementation']],
      ['verification', 'Alphonse', ['implementation']],
    ]);
    expect(run.gates.map(({ output }) => output !== undefined)).toEqual([true, true, true, true, false]);
    expect(run.gates[3]!.output).toMatchObject({ result: 'APPROVED' });
  });
});

describe('the contract of a new gate', () => {
  const contracts = (name: string, text = seed(name)): unknown[] =>
    readAgentFlow([file(name, text)]).run.gates.flatMap(({ gate, contract }) => (contract ? [[gate, contract]] : []));

  it('says where its message and its result are: those of a gate that passed, and those of agent-flow', () => {
    const message = '/message';
    const verified = { message, result: { pointer: '/result', pass: ['VERIFIED'] } };
    expect(contracts(SINGLE)).toEqual(
      ['exploration', 'planning', 'implementation', 'review', 'verification'].map((gate) => [gate, { message }]),
    );
    expect(contracts(TEAM)).toEqual([
      ['review', { result: { pointer: '/result', pass: ['APPROVED'] } }],
      ['verification', verified],
    ]);
  });

  it('has no text that is not a label', () => {
    const details = seed(TEAM).replace('result: "APPROVED"', 'result: "${{ env.X }}: a long text"');
    expect(details).not.toBe(seed(TEAM));
    expect(contracts(TEAM, details)).toEqual([['verification', expect.anything()]]);
  });
});

describe('a deep dive that is announced', () => {
  it('is named as not moved, unless its document is there, too', () => {
    const pointers = (...files: SourceFile[]): string[] => readAgentFlow(files).notMoved.map(({ pointer }) => pointer);
    expect(seed(SINGLE)).toContain('available: true');
    expect(pointers(file(SINGLE))).toContain('/deep_dive');
    expect(pointers(file(SINGLE), file('deep-dive.local.md'))).not.toContain('/deep_dive');
  });
});

describe('a contradiction', () => {
  const problems = (text: string, name = TEAM): string[] => {
    expect(text).not.toBe(seed(name));
    return readAgentFlow([file(name, text)]).problems.map(({ pointer }) => pointer);
  };
  const team = seed(TEAM);
  const single = seed(SINGLE);

  it('of gates and groups is named', () => {
    const at = team.indexOf('gates:\n');
    const other =
      team.slice(0, at) + team.slice(at).replace('review:\n    status: "passed"', 'review:\n    status: "failed"');
    expect(problems(other)).toEqual(['/parallel_groups/review_verification/review/status']);
    expect(
      problems(
        team.replace('review_verification:\n    status: "in_progress"', 'review_verification:\n    status: "passed"'),
      ),
    ).toEqual(['/parallel_groups/review_verification/status', '/parallel_groups/review_verification/status']);
  });

  it('of a gate and one before it is named', () => {
    expect(
      problems(
        single
          .replace('planning:\n    status: "passed"', 'planning:\n    status: "failed"')
          .replace('implementation:\n    status: "in_progress"', 'implementation:\n    status: "passed"'),
        SINGLE,
      ),
    ).toEqual(['/gates/implementation/status']);
  });

  it('of the phase or the iteration is named', () => {
    expect(problems(single.replace('current_phase: "exploration"', 'current_phase: "complete"'), SINGLE)).toEqual([
      '/current_phase',
    ]);
    expect(problems(single.replace('current_phase: "exploration"', 'current_phase: "other"'), SINGLE)).toEqual([
      '/current_phase',
    ]);
    expect(problems(single.replace('iteration: 1\n', 'iteration: 11\n'), SINGLE)).toEqual(['/iteration']);
  });

  it('of two active files is named; one that is not active is left out', () => {
    expect(readAgentFlow([file(SINGLE), file(TEAM)]).problems).toMatchObject([{ pointer: '/active' }]);
    const { problems: none, notes } = readAgentFlow([
      file(SINGLE, single.replace('active: true', 'active: false')),
      file(TEAM),
    ]);
    expect(none).toEqual([]);
    expect(notes).toEqual([`${SINGLE} is not active, and not used`]);
  });

  it('in the form of the file is named', () => {
    expect(problems(single.replace('status: "pending"', 'status: "waiting"'), SINGLE)).toEqual([
      '/gates/review/status',
    ]);
    expect(problems(single.replace('---\n', ''), SINGLE)).toEqual(['']);
    expect(problems(single.replace('active: true', 'active: &a true'), SINGLE)).toEqual(['']);
    expect(problems(single.replace('task:', 'task: !!str'), SINGLE)).toEqual(['']);
  });
});
