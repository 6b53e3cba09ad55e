import { messageOf } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { FORMATS } from '../../local/exchange/formats.ts';
import { gateIdFrom } from '../../pipeline/slug.ts';
import { runAddress, type GithubContext } from '../../report/github/context.ts';
import { githubStep, githubUnitStep } from '../../report/github/next-step.ts';
import { createExcerpt, excerptSize } from '../../report/html/excerpt.ts';
import { renderHtml } from '../../report/html/page.ts';
import type { RunView } from '../../report/view.ts';
import type { CollectedRun } from './collect-run.ts';
import type { Services } from '../services.ts';

/** Uploads the files of the systems that `mirror` names, each as an artifact. */
export async function uploadStateFiles(
  services: Services,
  { pipeline, documents }: CollectedRun,
  view: RunView,
  retentionDays: number | undefined,
): Promise<void> {
  const outputs = [...documents].flatMap(([key, { document }]) =>
    document.output === undefined ? [] : [[key, document.output] as const],
  );
  const source = { view, values: new Map<string, JsonValue>(outputs), history: view.history, documents: {} };
  for (const system of pipeline.mirror)
    for (const [path, text] of Object.entries(FORMATS[system]?.write(source) ?? {}))
      if (text !== null) await upload(services, path.replaceAll('/', '-'), text, retentionDays);
}

/** Uploads the report as an HTML page. @returns its URL */
export async function uploadPage(
  services: Services,
  { documents }: CollectedRun,
  view: RunView,
  context: GithubContext,
  retentionDays: number | undefined,
): Promise<string | undefined> {
  const maxBytes = excerptSize(documents.size);
  const excerpts = [...documents].map(([key, { document }]) => {
    const { output, learnings } = document;
    const texts = { output: output === undefined ? undefined : JSON.stringify(output, null, 2), learnings };
    const parts = Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : createExcerpt(name, text, maxBytes),
    );
    return [key, parts] as const;
  });
  const units = view.units.map((unit) => ({ ...unit, next: githubUnitStep(unit, context) }));
  const page = renderHtml({
    view: { ...view, units, next: githubStep(view, context) },
    now: new Date().toISOString(),
    excerpts: new Map(excerpts),
    problems: context.problems,
  });
  // Reports of one run may be about other pipelines or subjects.
  const name = `gateline-report.${view.pipeline}.${gateIdFrom(view.subject)}.${context.runNumber}.html`;
  const id = await upload(services, name, page, retentionDays);
  return id === undefined ? undefined : `${runAddress(context, String(context.runId))}/artifacts/${id}`;
}

/** Uploads a file. A failure is only a line in the log. @returns the id of its artifact */
async function upload({ artifacts, runner }: Services, name: string, text: string, retentionDays: number | undefined) {
  try {
    return (await artifacts.upload(`The upload of ${name}`, () => name, Buffer.from(text), retentionDays)).id;
  } catch (error) {
    runner.info(`The file ${name} is not among the artifacts: ${messageOf(error)}`);
    return undefined;
  }
}
