import { CAREFUL, runScenario } from './scenario.ts';

/** Runs many scenarios: `node test/oracle/fuzz.ts FROM COUNT [--git] '{"messy":0.1}'`. */
const git = process.argv.includes('--git');
const [from = '1', count = '1000', options = '{}'] = process.argv.slice(2).filter((word) => word !== '--git');
const sums = new Map<string, number>();
const shown = new Map<string, number>();
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const { oracle } = await runScenario(seed, { ...CAREFUL, git, ...(JSON.parse(options) as object) }).catch(
    (error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    },
  );
  for (const [key, value] of oracle.counts) sums.set(key, (sums.get(key) ?? 0) + value);
  for (const { kind, details } of oracle.faults) {
    shown.set(kind, (shown.get(kind) ?? 0) + 1);
    if (shown.get(kind)! <= 3) console.log(`seed ${seed}: ${kind}`, JSON.stringify(details));
  }
}
for (const [key, value] of [...sums].sort()) console.log(String(value).padStart(9), key);
