/** Gate 2: finds the elements that gate 1's test cases are about, on the real page, and ranks ways to locate them. */
import { mapPage, meanConfidence } from './mapping/map-page.ts';
import type { DesignOutput } from './protocol/outputs.ts';
import { needed, readWorkspace, serve, setting, type Answer, type Request } from './protocol/protocol.ts';

await serve(mapElements);

async function mapElements(request: Request): Promise<Answer> {
  const { testCases } = await needed<DesignOutput>(request, 'design');
  const targets = testCases.flatMap(({ testSteps, expectedResult }) =>
    [...testSteps, ...expectedResult.assertions].map(({ target }) => target),
  );
  const html = await readWorkspace(setting(request, 'page'), 'the page');
  const output = mapPage(html, [...new Set(targets)]);
  process.stdout.write(
    `${output.elementMappings.length} elements mapped, mean confidence ${meanConfidence(output.elementMappings)}\n`,
  );
  return { output, tools: ['jsdom', 'dom-accessibility-api'] };
}
