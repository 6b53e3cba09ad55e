/** Gate 3: writes a page object and a spec from the test cases and the element mappings, and compiles them. */
import { posix } from 'node:path';
import { writePageObject } from './code/page-object.ts';
import { writeSpec } from './code/spec-source.ts';
import { typeCheck } from './code/type-check.ts';
import { validation, type CodeOutput, type DesignOutput, type MapOutput } from './protocol/outputs.ts';
import {
  AgentError,
  metadataText,
  needed,
  serve,
  writeWorkspace,
  type Answer,
  type Request,
} from './protocol/protocol.ts';
import { keyOf } from './story/field-rule.ts';
import { pascal } from './story/names.ts';
import { parseTarget } from './story/target.ts';

const RUNNER = 'agents/runner';

await serve(generateCode);

async function generateCode(request: Request): Promise<Answer> {
  const design = await needed<DesignOutput>(request, 'design');
  const map = await needed<MapOutput>(request, 'map');
  const targets = [
    ...new Set(
      design.testCases.flatMap(({ testSteps, expectedResult }) =>
        [...testSteps, ...expectedResult.assertions].map(({ target }) => target),
      ),
    ),
  ];
  const paths = pathsFor(metadataText(request, 'feature'), targets);
  const pageObject = writePageObject(pascal(paths.pageName), between(paths.pageFile, RUNNER), targets, map);
  const spec = writeSpec(
    pageObject.className,
    { runner: between(paths.specFile, RUNNER), pageObject: between(paths.specFile, paths.pageFile) },
    design,
  );
  const fileDigests = {
    [paths.pageFile]: await writeWorkspace(paths.pageFile, pageObject.source),
    [paths.specFile]: await writeWorkspace(paths.specFile, spec),
  };
  const errors = await typeCheck([paths.pageFile, paths.specFile]);
  for (const error of errors) process.stderr.write(`${error}\n`);
  const missing = map.unmapped.map(({ target, reason }) => `${target} has no element (${reason}); its tests will fail`);
  const output: CodeOutput = {
    files: [paths.pageFile, paths.specFile],
    fileDigests,
    pageObjects: [paths.pageName],
    testSpecs: [posix.basename(paths.specFile)],
    testPattern: 'data-driven',
    compilationErrors: errors.length,
    validationResult: validation(errors.length > 0 ? 0 : (100 * (targets.length - missing.length)) / targets.length, [
      ...errors,
      ...missing,
    ]),
  };
  return { output, tools: ['typescript'] };
}

interface Paths {
  /** `studentRegistrationPage`. */
  readonly pageName: string;
  readonly pageFile: string;
  readonly specFile: string;
}

/** The spec is named after the button that sends the form. */
function pathsFor(feature: string, targets: readonly string[]): Paths {
  if (!/^[a-z][a-z0-9_-]*$/i.test(feature))
    throw new AgentError(`metadata.feature "${feature}" cannot be part of a file's name`);
  const button = targets.map(parseTarget).find(({ kind }) => kind === 'button');
  const pageName = `${keyOf(null, feature)}Page`;
  return {
    pageName,
    pageFile: `tests/test-objects/pages/${pageName}.ts`,
    specFile: `tests/tests-management/gui/${feature}/${button ? keyOf(null, button.label) : 'form'}.spec.ts`,
  };
}

/** How a module imports another, both relative to the workspace. */
function between(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}
