import type { ExportedRun, WrittenFile } from '../exchange.ts';
import { jsonText } from '../json-text.ts';
import { stateDocuments } from './state-documents.ts';

/** The files of seed 000 without our own fields. Those in `.state/` are written by the projections of each call. */
export function writeStateGuide({ graph, pipeline, metadata, state, outputs }: ExportedRun): WrittenFile[] {
  const documents = stateDocuments({ graph, groups: pipeline.groups, metadata, checkpoint: () => '' });
  const gates = [...state.units.keys()].flatMap((key) => {
    const output = outputs.get(key);
    return documents.gate(state, key, output === undefined ? {} : { value: output })?.output ?? [];
  });
  return [...gates, documents.pipeline(state)].flatMap(({ name, value }) => {
    if (value === undefined) return [];
    const { gateline: _, ...own } = value;
    return [{ path: name, text: jsonText(own, 2) }];
  });
}
