import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

/** Which documents an agent finds, as its output. */
const LOOKS = `ls -A .gateline/memory 2>/dev/null | sort | node -e 'const s=require("fs").readFileSync(0,"utf8").trim();console.log(JSON.stringify(s===""?[]:s.split("\\n")))' > "$GATELINE_OUTPUT"`;

async function documents(): Promise<ScratchWorkspace> {
  const gates = {
    explore: { run: LOOKS, memory: ['learned-patterns'], files: 'changed' },
    build: { run: `${LOOKS}; echo built > built.txt`, needs: 'explore', files: 'changed' },
    check: { run: writes(1), inputs: ['built.txt'], needs: 'build', memory: 'glossary' },
  };
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(gates),
    '.gateline/memory/learned-patterns.md': '# Learned patterns\n\n## Code\n- One\n',
    '.gateline/memory/glossary.md': '# Glossary\n',
    '.gateline/memory/private/notes.txt': 'x',
  });
}

describe('documents for agents', () => {
  it('are seen by the gates that name them, and nothing else of their folder is', async () => {
    await using workspace = await documents();
    await expectOk(here(workspace, 'run', '--quiet'));
    const seen = async (gate: string): Promise<unknown> =>
      JSON.parse((await expectOk(here(workspace, 'show', gate, 'output'))).out);
    expect(await seen('explore')).toEqual(['learned-patterns.md']);
    expect(await seen('build')).toEqual([]);
    const { out } = await expectOk(here(workspace, 'diff'));
    expect(out).toContain('built.txt');
    expect(out).not.toContain('.gateline');
    await expectOk(here(workspace, 'apply'));
    expect(await workspace.read('.gateline/memory/glossary.md')).toBe('# Glossary\n');
  });

  it('start the gates again that name them, and no others, and the plan says how much is new', async () => {
    await using workspace = await documents();
    await expectOk(here(workspace, 'run', '--quiet'));
    await workspace.write('.gateline/memory/glossary.md', '# Glossary\n- gate\n- run\n');
    await workspace.write('.gateline/memory/private/notes.txt', 'y');
    const { gates } = JSON.parse((await expectOk(here(workspace, 'plan', '--json'))).out) as {
      readonly gates: readonly { readonly key: string; readonly choice: string; readonly reason: string }[];
    };
    expect(gates.map(({ key, choice }) => `${key} ${choice}`)).toEqual(['explore reuse', 'build reuse', 'check run']);
    expect(gates[2]!.reason).toBe('glossary changed (+2)');
    await workspace.write('.gateline/memory/learned-patterns.md', '# Learned patterns\n- Two\n');
    expect((await expectOk(here(workspace, 'plan'))).out).toContain('learned-patterns changed (+1 -3)');
  });

  it('that are not there yet are no error, and are inputs once they are', async () => {
    await using workspace = await documents();
    await workspace.write('gateline.yml', gatelineYml({ a: { run: LOOKS, inputs: [], memory: ['progress'] } }));
    await expectOk(here(workspace, 'run', '--quiet'));
    await workspace.write('.gateline/memory/progress.md', '# Progress\n');
    expect((await expectOk(here(workspace, 'plan'))).out).toContain('progress added');
    await expectOk(here(workspace, 'run', '--quiet'));
    expect(JSON.parse((await expectOk(here(workspace, 'show', 'a', 'output'))).out)).toEqual(['progress.md']);
  });
});
