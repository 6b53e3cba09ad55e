/** Gate 5: keeps what the run taught about the page, in a file that people read and in the pipeline's learnings. */
import {
  validation,
  type ExecuteOutput,
  type LearnOutput,
  type LocatorType,
  type MapOutput,
} from './protocol/outputs.ts';
import { needed, serve, writeWorkspace, type Answer, type Request } from './protocol/protocol.ts';

const KNOWLEDGE_FILE = 'knowledge/learned.md';
const RUNS = 3;

/** What gate `execute` exports. */
type Executed = Pick<ExecuteOutput, 'results' | 'failures' | 'locatorUse'>;

await serve(learn);

async function learn(request: Request): Promise<Answer> {
  const map = await needed<MapOutput>(request, 'map');
  const executed = await needed<Executed>(request, 'execute');
  const locatorKinds = judgeKinds(map, executed);
  const flakyTests = [
    ...new Set(executed.failures.filter(({ runs }) => runs.length < RUNS).map(({ testId }) => testId)),
  ];
  const specialComponents = map.specialComponents.map((component) =>
    component.type === 'modal'
      ? `${component.element} opens over the page`
      : `${component.element} is filled by the calendar "${component.panel}", whose days are named like ${component.dayName}`,
  );
  const unsure = map.elementMappings
    .filter(({ locators }) => locators.primary.confidenceScore < 0.8)
    .map(({ target }) => `${target} is hard to find`);
  const learnings = [
    ...locatorKinds.map(sentence),
    ...specialComponents,
    ...unsure,
    ...flakyTests.map((test) => `${test} passes at times`),
  ];
  await writeWorkspace(
    KNOWLEDGE_FILE,
    `# What ${request.subject} taught\n\n${learnings.map((line) => `- ${line}\n`).join('')}`,
  );
  const output: LearnOutput = {
    knowledgeFile: KNOWLEDGE_FILE,
    entries: learnings.length,
    locatorKinds,
    flakyTests,
    specialComponents,
    validationResult: validation(
      executed.results.length === RUNS ? 100 : 0,
      executed.results.length === RUNS ? [] : [`${executed.results.length} runs are too few to learn from`],
    ),
  };
  return { output, learnings };
}

type Kind = LearnOutput['locatorKinds'][number];

/** For each kind of locator: of how many elements it is the best, and how often it found its element. */
function judgeKinds(map: MapOutput, { locatorUse }: Executed): Kind[] {
  const types = [...new Set(map.elementMappings.map(({ locators }) => locators.primary.type))].sort();
  return types.map((type: LocatorType) => {
    const uses = locatorUse.filter((use) => use.type === type);
    return {
      type,
      elements: map.elementMappings.filter(({ locators }) => locators.primary.type === type).length,
      found: uses.reduce((sum, use) => sum + use.found, 0),
      missed: uses.reduce((sum, use) => sum + use.missed, 0),
    };
  });
}

function sentence({ type, elements, found, missed }: Kind): string {
  return `${type} is the best locator of ${elements} element${elements === 1 ? '' : 's'}; it found them ${found} times and missed them ${missed} times`;
}
