import { join } from 'node:path';
import { Gateline } from '../src/gateline.ts';
import { commitAll, createFolder, writeFiles } from './folders.ts';
import { figureOf, sample, type Figure, type Round, type Sample } from './measure.ts';

/** Gates of the pipelines: what one costs from the first size to the second is the baseline of what follows. */
const SIZES = [10, 100, 1_000] as const;
const FLAT = ['processorRatio', 1.3] as const;
const ROUNDS = 5;

type Gate = Readonly<Record<string, unknown>>;

const OUTPUT = `echo '{}' > "$GATELINE_OUTPUT"`;
const READER = { run: OUTPUT, shell: 'sh', inputs: ['begin.txt'] };
/** A gate that changes a file each time. */
const CHANGE = { ...READER, run: `date +%N > changed.txt; ${OUTPUT}`, files: ['changed.txt'] };

/** What a gate costs must not depend on how many others there are, but on how many read what it changes. */
export async function* measureScaling(): AsyncGenerator<Figure> {
  using place = createFolder();
  const folderOf = (kind: string, size: number): string => join(place.path, kind, `${size}`);
  const write = (kind: string, gateOf: (n: number) => Gate): void => {
    for (const size of SIZES) writePipeline(folderOf(kind, size), size, gateOf);
  };
  write('readers', () => READER);
  write('affected', () => ({ ...READER, inputs: ['*.txt'] }));
  write('writers', (n) => ({ ...READER, run: `echo ${n} > ${n}.txt; ${OUTPUT}`, files: [`${n}.txt`] }));
  const first = (kind: string) => (size: number) => run(folderOf(kind, size), size);
  yield await measureSlope('gate without files, its agent runs', 0, first('readers'));
  yield await measureSlope('gate with files, its agent runs', 0, first('writers'));
  yield await measureSlope('gate without files, reused', ROUNDS, (size) => run(folderOf('readers', size), 0));
  yield await measureSlope('gate with files, reused', ROUNDS, (size) => run(folderOf('writers', size), 0));
  for (const size of SIZES) await first('affected')(size);
  const change = (kind: string) => (size: number) => run(folderOf(kind, size), 1, 'change');
  yield await measureSlope('gate beside one that changes files', ROUNDS, change('readers'));
  yield await measureSlope('gate that reads what another one changes', ROUNDS, change('affected'));
}

/** The cost of a gate in large pipelines, in relation to that in small ones. @param count of rounds; 0: only the first */
async function measureSlope(name: string, count: number, work: (size: number) => Promise<void>): Promise<Figure> {
  const rounds: Round[] = [];
  for (let n = 0; n <= count; n += 1) {
    const samples: Sample[] = [];
    for (const size of SIZES) samples.push(await sample(() => work(size)));
    const [few, some, many] = samples as [Sample, Sample, Sample];
    rounds.push([slopeOf(few, some, SIZES[1] - SIZES[0]), slopeOf(some, many, SIZES[2] - SIZES[1])]);
  }
  const title = `${name}: ${SIZES[1]} to ${SIZES[2]} gates`;
  return figureOf(title, `${SIZES[0]} to ${SIZES[1]} gates`, rounds.slice(Math.min(count, 1)), FLAT);
}

function slopeOf(few: Sample, many: Sample, gates: number): Sample {
  return { ms: (many.ms - few.ms) / gates, processorMs: (many.processorMs - few.processorMs) / gates };
}

/** Layers of ten gates, of which each needs two of the layer above; the last gate changes a file each time. */
function writePipeline(folder: string, size: number, gateOf: (n: number) => Gate): void {
  const above = (n: number): number[] => (n < 10 ? [] : [n - 10, n - (n % 10) - 10 + ((n + 1) % 10)]);
  const needsOf = (n: number): string[] => above(n).map((need) => `gate-${need}`);
  const layers = Array.from({ length: size - 1 }, (_, n) => [`gate-${n}`, { ...gateOf(n), needs: needsOf(n) }]);
  const gates: Record<string, Gate> = { ...Object.fromEntries(layers), change: CHANGE };
  writeFiles(folder, { 'begin.txt': 'begin\n', 'gateline.yml': { pipeline: 'scaling', gates } });
  commitAll(folder);
}

/** @param ran how many agents must run */
async function run(folder: string, ran: number, ...force: string[]): Promise<void> {
  const gateline = await Gateline.open({ folder });
  const { result } = await gateline.run({ force });
  if (result.ran.length !== ran) throw new Error(`${result.ran.length} agents ran instead of ${ran}: ${result.status}`);
}
