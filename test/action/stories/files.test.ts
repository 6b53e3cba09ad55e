import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();
const gate = (needs: string[], run: string, files?: string[]) => ({ needs, run: agent('{}', run), inputs: [], files });
const MAKE = `mkdir out; echo one > out/text.txt; ln -s text.txt out/link; chmod +x tool.sh; rm old.txt
head -c 1048576 /dev/zero | tr '\\0' b > out/big.bin`;
const CHECK = `test "$(cat out/text.txt)" = "$(printf 'one\\ntwo')"; test "$(readlink out/link)" = text.txt; test -x tool.sh
test ! -e old.txt; test "$(tr -d b < out/big.bin | wc -c)/$(wc -c < out/big.bin)" = 0/1048576`;
const GATES = {
  make: gate([], MAKE, ['out/**', 'tool.sh', 'old.txt']),
  edit: gate(['make'], 'echo two >> out/text.txt', ['out/text.txt']),
  check: gate(['edit'], `set -e; ${CHECK}`),
  late: gate(['edit'], 'true'),
  left: gate([], 'echo left > same.txt', ['same.txt']),
  right: gate([], 'echo right > same.txt', ['same.txt']),
  both: gate(['left', 'right'], 'true'),
};

it('files of gates reach later jobs as they were made; what nobody can merge is named', async () => {
  const before = { late: [{ run: 'mkdir out; echo mine > out/text.txt' }] };
  const files = { ...pipelineFiles(GATES, { before }), 'tool.sh': 'echo tool', 'old.txt': 'old' };
  const repository = await world.create({ files });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual(['both failure', 'late failure', 'report failure']);
  expect(run.job('both').log).toContain('left and right hand on different versions of same.txt');
  expect(run.job('late').log).toContain('out/text.txt has another version here than edit found and made');
  const large = repository.data.artifacts.filter(({ name }) => name.endsWith('.bin'));
  expect(large.map(({ name, size }) => [name.split('.')[2], size])).toEqual([['make', 1_048_576]]);
  // Files of outputs that are used come from an earlier run.
  const changed = pipelineFiles({ ...GATES, check: gate(['edit'], `set -e; true; ${CHECK}`) }, { before });
  const second = await repository.push({ files: changed });
  expect(worked(second)).toEqual(['check']);
  expect(second.job('check').conclusion, second.job('check').log).toBe('success');
});

it('a pull request that breaks a file which a reused gate had edited is not green', async () => {
  const gates = {
    fix: { run: agent('{}', 'sed -i s/draft/final/ app.txt'), inputs: ['idea.txt'], files: ['app.txt'] },
    test: { needs: ['fix'], run: agent('{}', 'grep final app.txt'), inputs: ['app.txt'] },
  };
  const repository = await world.create({ files: { ...pipelineFiles(gates), 'idea.txt': '', 'app.txt': 'draft' } });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual([]);
  const broken = await repository.pullRequest({ branch: 'break', files: { 'app.txt': 'broken' } });
  expect([worked(broken), troubles(broken)]).toEqual([
    ['fix', 'test'],
    ['report failure', 'test failure'],
  ]);
  const merged = await repository.pullRequest({ branch: 'merge', files: { 'app.txt': 'final' } });
  expect([worked(merged), troubles(merged)], logsOf(merged)).toEqual([[], []]);
});

it('a value of 17 MB goes from job to job, and to a later run', async () => {
  const write = `node -e 'require("fs").writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ text: "a".repeat(17e6), list: [1] }))'`;
  const gates = {
    make: { run: `echo "agent works"; ${write}`, inputs: [] },
    read: {
      needs: ['make'],
      run: agent('{"length": $(wc -c < $(node -p \'require(process.env.GATELINE_REQUEST).needs.make.file\'))}'),
      inputs: [],
      output: { checks: ['output.length > 17000000'] },
    },
  };
  const repository = await world.create({ files: pipelineFiles(gates) });
  const run = await repository.push();
  expect(troubles(run), logsOf(run)).toEqual([]);
  const again = await repository.push();
  expect([worked(again), troubles(again)], logsOf(again)).toEqual([[], []]);
});
