import type { OutputValues } from '../../formats/format.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { JsonValue } from '../../json/json.ts';
import { renderCheckpoint } from '../../report/checkpoint.ts';
import type { RunView } from '../../report/view.ts';
import type { Contents } from '../../store/stores.ts';
import type { Order, AgentStateFiles } from '../../engine/ports.ts';
import { stateGuide } from '../../formats/state-guide/state-guide.ts';
import { readEnvelope, standInFrom } from '../../formats/state-guide/envelope.ts';
import { fileStems, gateFile } from '../../formats/state-guide/words.ts';
import type { Unit } from '../../run/units.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { acceptProjection, clearProjection, writeProjection } from '../../store/files/projections.ts';
import type { StateFolder } from '../../store/files/state-folder.ts';
import type { Folder } from '../folder/folder.ts';

/** Outputs of more bytes are only named in the files. */
const MAX_OUTPUT = 16 * 1024 ** 2;
const MAX_STATE_FILE = 64 * 1024 ** 2;

/** Writes the state guide's files in `.state/`: envelopes, the pipeline's file and the checkpoint of each gate. */
export async function mirrorGuide(
  { stateFolder, contents }: { readonly stateFolder: StateFolder; readonly contents: Contents },
  view: RunView,
): Promise<void> {
  const values = await outputValues(contents, view);
  const stems = fileStems(view.metadata, view.subject);
  const [stem] = stems;
  // Not the files of running units: their agents may be writing them.
  const running = view.units.filter(({ status }) => status === 'running');
  const working = new Set(
    running.flatMap(({ number, leg }) => stems.map((name) => gateFile(name, number, leg, 'output.json'))),
  );
  const files = stateGuide.write({ view, values, history: view.history, documents: {} });
  for (const [path, text] of Object.entries(files))
    if (!working.has(path)) await writeProjection(stateFolder, path, text);
  for (const unit of view.units) {
    if (unit.verdict === undefined) continue;
    const name = gateFile(stem, unit.number, unit.leg, 'checkpoint.md');
    const stateFile = `.state/${gateFile(stem, unit.number, unit.leg, 'output.json')}`;
    await writeProjection(stateFolder, name, renderCheckpoint(view, unit, stateFile));
  }
}

/** Outputs of a run, by unit. */
export async function outputValues(contents: Contents, view: RunView): Promise<OutputValues> {
  const values = new Map<string, JsonValue>();
  for (const { key, output } of view.units) {
    if (output === undefined || output.bytes > MAX_OUTPUT) continue;
    const bytes = await contents.get(output.digest);
    const parsed = bytes && parseJson(bytes);
    if (parsed?.ok) values.set(key, parsed.value);
  }
  return values;
}

/** Reads the envelopes that agents of the state guide write themselves (the guide's step N-1). */
export function createAgentStateFiles(
  folder: StateFolder,
  { pipeline, metadata, subject }: Order,
): AgentStateFiles | undefined {
  if (!pipeline.mirror.includes(stateGuide.name)) return undefined;
  const filesOf = ({ gate, leg }: Unit) =>
    fileStems(metadata, subject).map((stem) => gateFile(stem, gate.number, leg.id, 'output.json'));
  return {
    clear: async (unit) => {
      for (const name of filesOf(unit)) await clearProjection(folder, name);
    },
    read: async (unit) => {
      const { id, number, contract } = unit.gate;
      for (const name of filesOf(unit)) {
        const path = folder.pathOf(name);
        const file = await readPlainFile(path, MAX_STATE_FILE);
        if (file.state === 'absent') continue;
        if (file.state !== 'present')
          return { issues: [{ severity: 'error', message: `${path} is no plain file of at most 64 MiB` }] };
        const read = readEnvelope(file.bytes, { id, number, metadata, score: contract.score });
        if ('issues' in read) return read;
        await acceptProjection(folder, name, file.bytes);
        const { status, output, validation } = read.envelope;
        if (status !== 'FAILED') return { bytes: new TextEncoder().encode(JSON.stringify(output)) };
        const issues = validation.issues.length > 0 ? validation.issues : ['the state file of the agent says FAILED'];
        return { issues: issues.map((message) => ({ severity: 'error', message })) };
      }
      return undefined;
    },
  };
}

/** Adds stand-ins to an order: values that may replace outputs of gates that are not done. */
export async function withStandIns(folder: Folder, order: Order): Promise<Order> {
  return { ...order, standIns: await findStandIns(folder, order) };
}

/** Finds the stand-ins of needs of gates with `stand-in`: their state file, else the caller's input. */
async function findStandIns(
  { stateFolder }: Folder,
  { pipeline, subject, metadata, input }: Order,
): Promise<NonNullable<Order['standIns']>> {
  const replaceable = new Set(pipeline.gates.flatMap(({ standIn, needs }) => (standIn ? needs : [])));
  const standIns = new Map<string, { value: NonNullable<Order['input']>; reason: string }>();
  for (const gate of pipeline.gates) {
    if (!replaceable.has(gate.id)) continue;
    const files = fileStems(metadata, subject).map((stem) =>
      stateFolder.pathOf(gateFile(stem, gate.number, '', 'output.json')),
    );
    const read = await Promise.all(files.map((file) => readPlainFile(file, MAX_STATE_FILE)));
    const bytes = read.flatMap((file) => (file.state === 'present' ? [file.bytes] : []))[0];
    const { id, number, contract } = gate;
    const standIn = standInFrom(bytes, input, { id, number, metadata, score: contract.score });
    if (standIn.choice === 'none') continue;
    const value = standIn.choice === 'file' ? standIn.envelope.output : standIn.output;
    if (value !== null) standIns.set(gate.id, { value, reason: standIn.reason });
  }
  return standIns;
}
