import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { typeCheck } from '../../examples/web-tests/agents/code/type-check.ts';
import { createCases } from '../../examples/web-tests/agents/data/cases.ts';
import { randomFrom } from '../../examples/web-tests/agents/data/random.ts';
import { designTestCases } from '../../examples/web-tests/agents/design/test-cases.ts';
import { mapPage } from '../../examples/web-tests/agents/mapping/map-page.ts';
import { loadPage } from '../../examples/web-tests/agents/page/load-page.ts';
import type { MapOutput } from '../../examples/web-tests/agents/protocol/outputs.ts';
import { keyOf, parseField, type FieldRule } from '../../examples/web-tests/agents/story/field-rule.ts';
import { parseStory, type Story } from '../../examples/web-tests/agents/story/story.ts';
import { EXAMPLE, PAGE, readDefinition } from './web-tests.ts';
import { IS_FULL } from '../support/test-size.ts';

let story: Story;
let page: string;
let targets: string[];
beforeAll(async () => {
  const { metadata } = await readDefinition();
  story = parseStory(
    await readFile(join(EXAMPLE, 'stories/student-registration.md'), 'utf8'),
    'story',
    metadata['acceptanceCriteria'] as string[],
  );
  page = await readFile(join(EXAMPLE, PAGE), 'utf8');
  const tests = designTestCases(story, createCases(story, randomFrom(1), 1));
  targets = [
    ...new Set(
      tests.flatMap((test) => [...test.testSteps, ...test.expectedResult.assertions].map(({ target }) => target)),
    ),
  ];
});

/** What a rule says of a value, written apart from the generator. */
function judge(field: FieldRule, value = ''): 'ok' | 'empty' | 'wrong' | 'not-offered' {
  const text = value.trim();
  if (text === '') return field.required ? 'empty' : 'ok';
  const ok = {
    text: () => field.kind === 'text' && text.length >= field.min && text.length <= field.max,
    email: () => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text),
    digits: () => field.kind === 'digits' && /^\d+$/.test(text) && text.length === field.length,
    choice: () => field.kind === 'choice' && field.options.includes(text),
    date: () => field.kind === 'date' && text >= field.earliest && text <= field.latest,
    tick: () => text === 'Yes',
  }[field.kind]();
  return ok ? 'ok' : field.kind === 'date' ? 'not-offered' : 'wrong';
}

describe('test data', () => {
  it('breaks exactly the rule that each row says, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), fc.integer({ min: 0, max: 5 }), (seed, valid) => {
        for (const row of createCases(story, randomFrom(seed), valid)) {
          const broken = story.fields
            .map((field) => [field.key, judge(field, row.values[field.key])])
            .filter(([, how]) => how !== 'ok');
          expect(broken, row.id).toEqual(
            row.expect.outcome === 'accepted' ? [] : [[row.expect.field, row.expect.outcome]],
          );
        }
      }),
    );
  });
});

describe('the story', () => {
  it('takes a criterion of the metadata instead of its own on the same field', () => {
    const changed = parseStory(text(), 'story', ['Name is optional: text of up to 9 characters.']);
    expect(changed.fields).toEqual([
      { key: 'name', label: 'Name', group: null, required: false, kind: 'text', min: 0, max: 9 },
    ]);
  });

  it('keeps what it does not understand, and says so', () => {
    expect(parseStory(text(), 'story', ['Name should be nice.']).notUnderstood).toEqual(['Name should be nice.']);
    expect(parseField('Name is required: nice.')).toBeUndefined();
  });

  it('does not go on without a field, or without saying which button sends the form', () => {
    expect(() => parseStory('# Nothing', 'story', [])).toThrow('story holds no field');
    expect(() => parseStory(text().replace('When I press "Send"', ''), 'story', [])).toThrow(
      'story does not say which button sends the form',
    );
  });

  const text = (): string => `- Name is required: text of 2 to 5 characters.
Scenario: a
  When I press "Send"
  Then the dialog "Done" lists every field with its value
Scenario: b
  Given a required field is empty
  Then the form says "<field> is required"
Scenario: c
  Given a field holds a value that its rule does not allow
  Then the form says "<field> is not valid"
Scenario: d
  When I press "OK"
  Then the dialog closes and every field is empty
`;
});

describe('the mapping', () => {
  const locatorsOf = (map: MapOutput, name: string) => {
    const { primary, fallbacks } = map.elementMappings.find(({ logicalName }) => logicalName === name)!.locators;
    return [primary, ...fallbacks];
  };

  it('trusts a made-looking id least, a made-up one never, and ranks by confidence', () => {
    const map = mapPage(page, targets);
    expect(locatorsOf(map, 'mobileInput').at(-1)).toMatchObject({ type: 'id', value: 'input-7f3a9c' });
    expect(locatorsOf(map, 'lastNameInput').map(({ type }) => type)).not.toContain('id');
    for (const { locators } of map.elementMappings) {
      const scores = [locators.primary, ...locators.fallbacks].map(({ confidenceScore }) => confidenceScore);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
    }
  });

  it('is not taken in by the field that no person sees, and tells the two cities apart', () => {
    const map = mapPage(page, targets);
    expect(JSON.stringify(locatorsOf(map, 'emailInput'))).not.toMatch(/"email"|"Email"/);
    expect(locatorsOf(map, 'currentAddressCityInput')[0]).toMatchObject({ type: 'label', group: 'Current address' });
  });

  it('gives every control an id of its own, even where a random one comes up twice', () => {
    const twice = page.replace("'use strict';", 'let draws = 0; Math.random = () => Math.floor(draws++ / 2) / 1000;');
    const loaded = loadPage(twice);
    const ids = [...loaded.document.querySelectorAll('[data-auto-id]')].map(({ id }) => id);
    loaded.close();
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says of a page that scripts build that it is one', () => {
    expect(mapPage(page, targets).isSPA).toBe(false);
    const built = `<div id=app></div><script>document.getElementById('app').innerHTML = '<label>Name <input></label>'</script>`;
    expect(mapPage(built, ['text field "Name"'])).toMatchObject({ isSPA: true, unmapped: [] });
  });

  it('tells of a script that fails, and of a calendar that does not open', () => {
    const issues = mapPage(page.replace(`input.addEventListener('click'`, `input.addEventListener('dblclick'`), targets)
      .validationResult.issues;
    expect(issues).toEqual(['date field "Date of Birth": no calendar opens when it is clicked']);
    const failing = mapPage(page.replace("'use strict';", 'nothing.here();'), targets).validationResult.issues;
    expect(failing[0]).toMatch(/^a script of the page failed: .*nothing is not defined/);
  });

  it.runIf(IS_FULL)('changes with every label that the criteria name, and stays above the threshold', () => {
    const unchanged = mapPage(page, targets);
    const labels = [
      'First Name',
      'Last Name',
      'Email',
      'Gender',
      'Mobile',
      'Date of Birth',
      'Course',
      'I accept the terms',
      'Current address',
      'Register',
      'Close',
      'Thanks for registering',
    ];
    for (const label of labels) {
      // Texts only, not the placeholder; of the two that say Email, the one that people see.
      const changed = page.replace(
        new RegExp(`${label === 'Email' ? '(?<=<label)' : ''}>(\\s*(?:<input[^>]*>)?\\s*)${label}(?=\\s*<)`),
        '>$1Changed',
      );
      expect(changed, label).not.toBe(page);
      const map = mapPage(changed, targets);
      expect({ ...map, validationResult: null }, label).not.toEqual({ ...unchanged, validationResult: null });
      expect(map.validationResult.issues, label).not.toEqual([]);
      expect(map.validationResult.score, label).toBeGreaterThanOrEqual(80);
    }
  });

  it('does not change with comments and white space', () => {
    const airy = page
      .replaceAll('<div', '\n <!-- <input id="x"> -->\n\n<div')
      .replace('First Name</label>', '\n First \n Name </label>');
    expect(mapPage(airy, targets)).toEqual(mapPage(page, targets));
  });
});

describe('generated code', () => {
  it('is compiled for real: an error is counted with its place', async () => {
    const spec = join(EXAMPLE, 'agents/runner/spec.ts');
    expect(await typeCheck([spec])).toEqual([]);
    await expect(typeCheck([join(EXAMPLE, 'agents/absent.ts')])).resolves.toEqual([
      expect.stringContaining('error TS6053'),
    ]);
  });

  it('names elements by their label', () => {
    expect(keyOf('Current address', 'City')).toBe('currentAddressCity');
    expect(keyOf(null, "Pupil's name (in full)")).toBe('pupilSNameInFull');
  });
});
