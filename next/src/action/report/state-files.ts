import { messageOf } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { FORMATS } from '../../local/system-files.ts';
import type { RunView } from '../../report/view.ts';
import type { CollectedRun } from './collect-run.ts';
import type { Services } from '../services.ts';

/**
 * Uploads the files of the systems that `mirror` names, each as an artifact that a browser shows. They are for people: an
 * upload that fails is only said.
 */
export async function uploadStateFiles(
  { artifacts, report }: Services,
  { pipeline, documents }: CollectedRun,
  view: RunView,
  retentionDays: number | undefined,
): Promise<void> {
  const values = new Map<string, JsonValue>();
  for (const [key, { document }] of documents) if (document.output !== undefined) values.set(key, document.output);
  const source = { view, values, history: view.history, documents: {} };
  for (const system of pipeline.mirror)
    for (const [path, text] of Object.entries(FORMATS[system]?.write(source) ?? {})) {
      if (text === null) continue;
      const name = path.replaceAll('/', '-');
      try {
        await artifacts.upload(`The upload of ${path}`, () => name, Buffer.from(text), retentionDays);
      } catch (error) {
        report(`The file ${path} is not among the artifacts: ${messageOf(error)}`);
      }
    }
}
