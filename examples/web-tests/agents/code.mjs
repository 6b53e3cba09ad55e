// Gate 3: a page object and a spec, checked by `node --check`.
import { spawnSync } from 'node:child_process';
import { exportsOf, finish, request, writeFile } from './gate.mjs';

const { testCases } = exportsOf('design');
const { elementMappings } = exportsOf('map');
const nameOf = new Map(elementMappings.map(({ target, logicalName }) => [target, logicalName]));
const pageFile = 'tests/test-objects/pages/studentRegistrationPage.mjs';
const specFile = `tests/tests-management/gui/${request.metadata.feature}/register.spec.mjs`;
const js = JSON.stringify;

writeFile(
  pageFile,
  `export class StudentRegistrationPage {
  constructor(find) { this.find = find; }
${elementMappings
  .map(
    ({ logicalName, locators: { primary, fallbacks } }) =>
      `  get ${logicalName}() { return this.find(${js([primary, ...fallbacks])}); }`,
  )
  .join('\n')}
}
`,
);

const lineOf = ({ target, data }) =>
  `    page.${nameOf.get(target)}${data === undefined ? '.click()' : `.value = ${js(data)}`};`;
const testOf = ({ testId, testSteps, expectedResult }) => `  ${testId}(page) {
${testSteps.map(lineOf).join('\n')}
    assert.equal(page.status.textContent, ${js(expectedResult.assertions[0].target)});
  },`;
const tests = testCases.map(testOf).join('\n');
writeFile(specFile, `import assert from 'node:assert/strict';\n\nexport const tests = {\n${tests}\n};\n`);

const files = [pageFile, specFile];
const errors = files.flatMap((file) => {
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  return status === 0 ? [] : [`${file}: ${stderr.split('\n')[0]}`];
});
const names = { pageObjects: ['studentRegistrationPage'], testSpecs: ['register.spec.mjs'] };
const output = { files, ...names, testPattern: 'data-driven', compilationErrors: errors.length };
finish(output, files.length, errors);
