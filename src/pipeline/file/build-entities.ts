import type { Command, Entity, EntityUse } from '../entities/entities.ts';
import { wordsOf } from '../entities/command-syntax.ts';
import type { GatelineFile } from './gateline-file.ts';
import type { GateEntry } from './gateline-gate.ts';
import { isTime } from './gateline-entities.ts';
import { millisecondsOf } from './gateline-values.ts';
import type { Gate, Pipeline } from '../pipeline.ts';

/** The entities and commands of a file, if there are any. */
export function buildResources({
  entities,
  commands,
}: Pick<GatelineFile, 'entities' | 'commands'>): Pick<Pipeline, 'resources'> {
  const resources = {
    entities: Object.entries(entities).map(([name, entry]) => buildEntity(name, entry)),
    commands: Object.entries(commands).map(([id, entry]) => buildCommand(id, entry)),
  };
  return resources.entities.length + resources.commands.length === 0 ? {} : { resources };
}

/** The entities that a gate uses, if any. */
export function gateUse(entry: WrittenUse): Pick<Gate, 'entities'> {
  const use = buildUse(entry);
  return use.requires.length + use.creates.length + use.invalidates.length === 0 ? {} : { entities: use };
}

type WrittenUse = Pick<GateEntry, 'requires' | 'creates' | 'invalidates' | 'on-invalid' | 'leaves'>;

function buildEntity(name: string, entry: GatelineFile['entities'][string]): Entity {
  const { format, properties = [], lifetime, margin } = entry ?? {};
  return {
    name,
    format,
    properties,
    dependsOn: namesIn(entry?.['depends-on'] ?? []),
    lifetime: isTime(lifetime) ? millisecondsOf(lifetime) : lifetime,
    margin: margin === undefined ? 0 : millisecondsOf(margin),
  };
}

function buildCommand(id: string, entry: GatelineFile['commands'][string]): Command {
  const read = wordsOf(entry.syntax);
  return {
    id,
    words: 'words' in read ? read.words : [],
    ...buildUse(entry),
    returns: entry.returns,
    setup: entry.setup,
    timeoutMinutes: entry['timeout-minutes'],
  };
}

function buildUse(entry: WrittenUse): EntityUse {
  return {
    requires: namesIn(entry.requires),
    creates: namesIn(entry.creates),
    invalidates: namesIn(entry.invalidates),
    onInvalid: entry['on-invalid'],
    leaves: entry.leaves === 'processes',
  };
}

function namesIn(names: string | readonly string[]): string[] {
  return [...new Set(typeof names === 'string' ? [names] : names)];
}
