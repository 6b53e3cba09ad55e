import { messageOf } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { FORMATS } from '../../local/formats.ts';
import { runAddress, type GithubContext } from '../../report/github/context.ts';
import { githubStep, githubUnitStep } from '../../report/github/next-step.ts';
import { createExcerpt, excerptSize } from '../../report/html/excerpt.ts';
import { renderHtml } from '../../report/html/page.ts';
import type { RunView } from '../../report/view.ts';
import type { CollectedRun } from './collect-run.ts';
import type { Services } from '../services.ts';

/**
 * Uploads the files of the systems that `mirror` names, each as an artifact that a browser shows. They are for people: an
 * upload that fails is only said.
 */
export async function uploadStateFiles(
  { artifacts, runner }: Services,
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
        runner.info(`The file ${path} is not among the artifacts: ${messageOf(error)}`);
      }
    }
}

/**
 * Uploads the report as a page. It is for people: an upload that fails is only said.
 * @returns its address
 */
export async function uploadPage(
  { artifacts, runner }: Services,
  { documents }: CollectedRun,
  view: RunView,
  context: GithubContext,
  retentionDays: number | undefined,
): Promise<string | undefined> {
  const maxBytes = excerptSize(documents.size);
  const excerpts = [...documents].map(
    ([
      key,
      {
        document: { output, learnings },
      },
    ]) => {
      const texts = { output: output === undefined ? undefined : JSON.stringify(output, null, 2), learnings };
      const parts = Object.entries(texts).flatMap(([name, text]) =>
        text === undefined ? [] : createExcerpt(name, text, maxBytes),
      );
      return [key, parts] as const;
    },
  );
  const units = view.units.map((unit) => ({ ...unit, next: githubUnitStep(unit, context) }));
  const page = renderHtml({
    view: { ...view, units, next: githubStep(view, context) },
    now: new Date().toISOString(),
    excerpts: new Map(excerpts),
    problems: context.problems,
  });
  const name = `gateline-report.${context.runNumber}.html`;
  try {
    const { id } = await artifacts.upload(`The upload of ${name}`, () => name, Buffer.from(page), retentionDays);
    return `${runAddress(context, String(context.runId))}/artifacts/${id}`;
  } catch (error) {
    runner.info(`The file ${name} is not among the artifacts: ${messageOf(error)}`);
    return undefined;
  }
}
