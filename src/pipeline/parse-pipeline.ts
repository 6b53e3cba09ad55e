import type { Place } from '../errors.ts';
import { checkFile } from './checks.ts';
import type { Gate, Pipeline } from './pipeline.ts';
import { explainIssue, toProblems, type Finding, type Path, type Problem } from './problem.ts';
import { readYaml, type YamlFile } from './read-yaml.ts';
import { fileSchema, type GatelineFile } from './schema.ts';

export type ParsedPipeline =
  | { readonly ok: true; readonly pipeline: Pipeline; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a gateline.yml: the pipeline, or every problem with its place, in file order. References between the parts of
 * the file are checked once its structure is right. @param file the name for places
 */
export function parsePipeline(text: string, file: string): ParsedPipeline {
  const read = readYaml(text, file);
  if (!read.ok) return read;
  const { yaml } = read;
  const parsed = fileSchema.safeParse(yaml.value);
  const findings = parsed.success
    ? [...checkFile(parsed.data), ...checkNumbersAsWritten(yaml)]
    : parsed.error.issues.flatMap((issue) => explainIssue(issue, yaml.value));
  const problems = toProblems(findings, yaml.placeOf);
  if (!parsed.success || problems.some(({ level }) => level === 'error')) return { ok: false, problems };
  const pipeline = buildPipeline(parsed.data, (path) => yaml.placeOf(path, 'key'));
  return { ok: true, pipeline, warnings: problems };
}

/** Below these keys a version is easily written without quotes, as a number. */
const FREE_VALUES: ReadonlySet<PropertyKey> = new Set(['env', 'matrix', 'with', 'metadata']);

function checkNumbersAsWritten({ numbers }: YamlFile): Finding[] {
  return numbers
    .filter(({ path }) => path.some((key) => FREE_VALUES.has(key)))
    .map(({ path, text }) => ({
      path,
      message: `\`${text}\` is a number and loses its form`,
      hint: 'put it in quotes if you mean text',
      level: 'warning',
    }));
}

function buildPipeline(file: GatelineFile, placeOf: (path: Path) => Place): Pipeline {
  const { metadata, mirror, checkpoints, retention, setup, ignore, task, subject, on, job } = file;
  return {
    id: file.pipeline,
    subject,
    task,
    metadata,
    maxParallel: file['max-parallel'],
    maxCost: file['max-cost'],
    gates: Object.keys(file.gates).map((id, index) => buildGate(id, index, file, placeOf)),
    groups: Object.entries(file.groups).map(([id, group]) => ({ id, ...group })),
    ignore,
    allowSecrets: file['allow-secrets'],
    mirror,
    checkpoints,
    snapshots: { database: file.snapshots.database },
    retention,
    setup,
    entities: file.entities,
    commands: file.commands,
    deliver: file.deliver,
    on,
    job,
  };
}

function buildGate(id: string, index: number, file: GatelineFile, placeOf: (path: Path) => Place): Gate {
  const entry = file.gates[id]!;
  const order = Object.keys(file.gates);
  const { agent = id, run, uses, inputs, files, memory, tools, secrets, retries, approval, strategy, job } = entry;
  const { requires, creates, invalidates } = entry;
  const defaults = file.defaults.run;
  return {
    id,
    number: entry.number ?? index,
    agent,
    run,
    uses: uses && { with: entry.with, ...uses },
    shell: entry.shell ?? defaults.shell ?? 'bash',
    workingDirectory: entry['working-directory'] ?? defaults['working-directory'] ?? '.',
    needs: entry.needs.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    if: entry.if,
    inputs,
    files: files?.length === 0 ? undefined : files,
    memory,
    env: { ...file.env, ...entry.env },
    with: entry.with,
    tools,
    secrets,
    ...entry.output,
    retries,
    repeat: entry.repeat,
    timeoutMinutes: entry['timeout-minutes'],
    onFail: entry['on-fail'],
    approval,
    maxAge: entry['max-age'],
    standIn: entry['stand-in'],
    matrix: strategy,
    entities: { requires, creates, invalidates, onInvalid: entry['on-invalid'] },
    job,
    place: placeOf(['gates', id]),
    schemaPlace: placeOf(['gates', id, 'output', 'schema']),
  };
}
