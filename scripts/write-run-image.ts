import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parsePipeline } from '../src/pipeline/parse-pipeline.ts';
import type { Pipeline } from '../src/pipeline/pipeline.ts';
import { orderRecords } from '../src/run/records/order.ts';
import type { GatelineRecord } from '../src/run/records/record.ts';
import { parseRecord } from '../src/store/parse-record.ts';
import { linesOf, svgOf, type Recording } from './run-image.ts';

/*
 * Writes docs/images/run.svg, the picture in the README, from docs/images/run.json: `node scripts/write-run-image.ts`.
 * With `--record` it first runs a copy of examples/web-tests: everything passes; a rule of the page is broken and gate
 * 4 fails; the rule is fixed, in a page that is not identical to the first one, and the run continues.
 */

const ROOT = join(import.meta.dirname, '..');
const EXAMPLE = join(ROOT, 'examples', 'web-tests');
export const IMAGE_FILE = join(ROOT, 'docs', 'images', 'run.svg');
export const RECORDING_FILE = join(ROOT, 'docs', 'images', 'run.json');

const RULE = "new RegExp('^[0-9]{' + data.length + '}$').test(value)";
const TYPED = [
  '# Somebody edited the page.\ngateline run',
  '# It refused every phone number. Mended; go on:\ngateline run',
] as const;
const BROKEN_RULE = `!${RULE}`;

/** The pipeline of examples/web-tests. */
export function examplePipeline(): Pipeline {
  const parsed = parsePipeline(readFileSync(join(EXAMPLE, 'gateline.yml'), 'utf8'), 'gateline.yml');
  if (!parsed.ok) throw new Error('examples/web-tests/gateline.yml is not sound');
  return parsed.pipeline;
}

/** The content of docs/images/run.json. */
export function readRecording(): Recording {
  return JSON.parse(readFileSync(RECORDING_FILE, 'utf8')) as Recording;
}

function record(): Recording {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-image-'));
  try {
    const workspace = join(folder, 'web-tests');
    const left = ['.state', 'tests', 'knowledge'].map((name) => join(EXAMPLE, name));
    cpSync(EXAMPLE, workspace, { recursive: true, filter: (path) => !left.includes(path) });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: workspace });
    git('init', '--quiet');
    git('add', '--all');
    git('-c', 'user.name=example', '-c', 'user.email=me@example.org', 'commit', '--quiet', '--message', 'example');
    const page = join(workspace, 'page', 'registration.html');
    const sound = readFileSync(page, 'utf8');
    if (!sound.includes(RULE)) throw new Error(`${page} has no rule to break`);
    gateline(workspace, 0);
    writeFileSync(page, sound.replace(RULE, BROKEN_RULE));
    gateline(workspace, 1);
    writeFileSync(page, `${sound}<!-- reviewed -->\n`);
    gateline(workspace, 0);
    const records = recordsIn(join(workspace, '.state', 'runs')).filter((one) => one.runNumber === 2);
    return { subject: records[0]!.subject, typed: TYPED, records: records.map(anonymous) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function gateline(workspace: string, expected: number): void {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'src', 'cli', 'index.ts'), 'run', '--quiet'], {
    cwd: workspace,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, WEB_TESTS_BROWSER: 'embedded' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== expected) throw new Error(`gateline run ended with ${status}, not ${expected}:\n${stdout}`);
}

function recordsIn(folder: string): readonly GatelineRecord[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const records = files.map((entry) => {
    const parsed = parseRecord(readFileSync(join(entry.parentPath, entry.name)));
    if ('fault' in parsed) throw new Error(`${entry.name}: ${parsed.fault.message}`);
    return parsed.record;
  });
  return orderRecords(records).records;
}

/** A record without data about the machine, and without data that the table does not show. */
function anonymous(one: GatelineRecord): GatelineRecord {
  const by = { host: 'host', boot: 'boot', pid: 1, pidStart: '1' };
  return one.kind === 'ended' ? { ...one, by, files: [], touched: [], logs: {} } : { ...one, by };
}

if (import.meta.main) {
  if (process.argv.includes('--record')) writeFileSync(RECORDING_FILE, `${JSON.stringify(record(), null, 1)}\n`);
  writeFileSync(IMAGE_FILE, svgOf(linesOf(readRecording(), examplePipeline())));
}
