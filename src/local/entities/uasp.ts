import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Order } from '../../engine/ports.ts';
import { GatelineError, isSystemError } from '../../errors.ts';
import { jsonText } from '../../formats/format.ts';
import {
  definitionKeys,
  readManifest,
  readSkill,
  skillNotes,
  writeSkill,
  type EntityStatus,
} from '../../formats/uasp.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { DEFINITION_FILES } from '../../pipeline/pipeline.ts';
import { problemText } from '../../pipeline/problem.ts';
import { readYaml } from '../../pipeline/read-yaml.ts';
import { gateIdFrom } from '../../pipeline/slug.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { viewEntities, type EntityView } from './entities.ts';
import { writeFiles } from '../exchange/mirror.ts';
import type { Folder } from '../folder/folder.ts';
import { findDefinition } from '../project/load-definition.ts';

/** A UASP skill as keys of a definition. */
export interface SkillImport {
  /** The new definition. Undefined: there is one already, to which the user adds the keys. */
  readonly file: string | undefined;
  /** `entities:` and `commands:`, as YAML; empty: the file has none. */
  readonly keys: string;
  /** What was not imported, one sentence each. */
  readonly notes: readonly string[];
}

const MAX_SKILL = 1024 ** 2;

/**
 * Writes a skill's entities and commands into a new definition. An existing one is never edited.
 * @param path of the skill or of a manifest, YAML or JSON
 */
export async function importSkill(folder: string, path: string): Promise<SkillImport> {
  const document = await readSkillFile(resolve(folder, path), path);
  const skill = namingFile(path, () => readSkill(document));
  const states = namingFile(path, () => readManifest(document, skill.name));
  const notes = [
    ...skillNotes(document),
    ...Object.entries(states ?? {}).flatMap(([entity, { valid, has_value: hasValue }]) =>
      valid
        ? `${entity} is valid in the manifest: \`gateline entities set ${entity} valid${hasValue ? ' --value JSON' : ''}\``
        : [],
    ),
  ];
  const names = [...Object.keys(skill.entities), ...Object.keys(skill.commands)];
  if (names.length === 0) {
    if (states) return { file: undefined, keys: '', notes };
    throw new GatelineError('usage', `${path} has no entities and no commands`, {
      hint: 'A skill has them under `state.entities` and `commands`.',
    });
  }
  const keys = definitionKeys(skill);
  const text = `pipeline: ${gateIdFrom(skill.name)}\n${keys}`;
  const parsed = parsePipeline(text, path);
  if (!parsed.ok) {
    const problems = parsed.problems.map(({ place, message }) => `${path}${place.pointer ?? ''}: ${message}`);
    throw new GatelineError('usage', problems.slice(0, 20).join('\n'), {
      hint: 'Nothing was written. Rename what a definition cannot name so, or import less.',
    });
  }
  const isNew =
    findDefinition(resolve(folder)) === undefined && (await writeNew(join(folder, DEFINITION_FILES[0]), text));
  return { file: isNew ? DEFINITION_FILES[0] : undefined, keys, notes };
}

async function readSkillFile(path: string, name: string): Promise<JsonValue> {
  const file = await readPlainFile(path, MAX_SKILL);
  if (file.state !== 'present') {
    const reasons = { absent: 'does not exist', 'too-large': 'has more than 1 MiB', refused: 'is no plain file' };
    throw new GatelineError('usage', `${name} ${reasons[file.state]}`, {
      hint: '`gateline import uasp FILE` reads the YAML file of a skill.',
    });
  }
  return parseSkill(new TextDecoder().decode(file.bytes), name);
}

/** The document of a skill's file, YAML or JSON. Its name defaults to that of the file. */
export function parseSkill(text: string, path: string): JsonValue {
  const read = readYaml(text, path);
  if (!read.ok)
    throw new GatelineError('usage', read.problems.map(problemText).join('\n'), { place: read.problems[0]?.place });
  const { value } = read.yaml;
  return isJsonObject(value) ? { name: basename(path).replace(/(?:\.uasp)?\.(?:ya?ml|json)$/, ''), ...value } : value;
}

function namingFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    throw new GatelineError(error.fault, `${path}: ${error.message}`, { hint: 'Nothing was written.', cause: error });
  }
}

async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The status of each entity: whether any of its instances is valid, and has a value. */
export function entityStatuses(views: readonly EntityView[]): Readonly<Record<string, EntityStatus>> {
  const entities = [...Map.groupBy(views, ({ entity }) => entity)].map(
    ([entity, instances]): [string, EntityStatus] => [
      entity,
      {
        valid: instances.some(({ status }) => status === 'valid'),
        has_value: instances.some(({ value }) => value !== undefined),
      },
    ],
  );
  return Object.fromEntries(entities);
}

/**
 * Writes the entities and commands of a definition as a skill, and their state as a manifest.
 * @param target absolute folder. Default: `uasp/`
 * @returns the paths, relative to the workspace
 */
export async function exportSkill(
  folder: Folder,
  order: Order,
  { target, isDry = false }: { readonly target?: string; readonly isDry?: boolean },
): Promise<readonly string[]> {
  const { id: name, entities, commands } = order.pipeline;
  if (Object.keys(entities).length + Object.keys(commands).length === 0)
    throw new GatelineError('usage', `${order.definitionFile} has no entities and no commands`, {
      hint: 'A skill of UASP is made of `entities:` and `commands:`; runs are exported as another system.',
    });
  const state = entityStatuses(await viewEntities(folder, order));
  const files = {
    [`${name}.uasp.yaml`]: writeSkill({ name, entities, commands }),
    'manifest.json': jsonText({ loaded_skills: [{ name, state }] }),
  };
  return writeFiles(folder, 'uasp', target ?? join(folder.options.root, 'uasp'), files, isDry);
}
