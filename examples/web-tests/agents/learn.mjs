// Gate 5: what the next run should know.
import { writeFileSync } from 'node:fs';
import { exportsOf, finish } from './gate.mjs';

const { elementMappings } = exportsOf('map');
const { results, finalStatus, failures } = exportsOf('execute');
const failuresOf = Map.groupBy(failures, ({ testId }) => testId);
const flaky = [...failuresOf.values()].filter((list) => list.length < results.length).map(([{ testId }]) => testId);
const unstable = elementMappings.filter(({ locators }) => ['name', 'label'].includes(locators.primary.type));
const learnings = [
  `The pass rate of ${results.length} runs was ${finalStatus.passRate} %.`,
  ...unstable.map(({ target, locators }) => `${target} has no stable id, only a ${locators.primary.type}.`),
  ...flaky.map((testId) => `${testId} does not always fail.`),
];
writeFileSync(process.env.GATELINE_LEARNINGS, learnings.map((line) => `- ${line}\n`).join(''));
finish({ learnings, flakyTests: flaky }, results.length, flaky);
