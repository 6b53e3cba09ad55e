import { expect, it } from 'vitest';
import { problemText } from '../../src/pipeline/problem.ts';
import { parseSet } from '../../src/pipeline/set.ts';

it('reads subjects with what they need, in YAML and in JSON', () => {
  const set = {
    subjects: [
      { id: 'REQ-1.1', task: 'Add a login', metadata: { area: 'auth' }, needs: [] },
      { id: 'b', needs: [] },
      { id: 'c', input: [1], needs: ['REQ-1.1', 'b'] },
    ],
    maxParallel: 3,
    retries: 0,
    deliver: 'branch',
  };
  const yaml = `
subjects:
  - {id: REQ-1.1, task: Add a login, metadata: {area: auth}}
  - id: b
  - id: c
    input: [1]
    needs: [b, REQ-1.1]
max-parallel: 3
retries: 0
deliver: branch
`;
  const parsed = parseSet(yaml, 'set.yml');
  expect(parsed.ok && JSON.parse(JSON.stringify(parsed.set))).toEqual({
    ...set,
    subjects: set.subjects.map((subject) => ({ metadata: {}, ...subject })),
  });
  expect(parseSet('{"subjects":[{"id":"2"}]}', 'set.json')).toMatchObject({
    ok: true,
    set: { subjects: [{ id: '2', task: undefined }], maxParallel: 2, retries: 1, deliver: undefined },
  });
});

it.each([
  ['subjects: []', 'set.yml:1:11 subjects: expected a list of 1 to 1,000 subjects'],
  ['subjects: [{id: a}, {id: a}]', 'set.yml:1:26 subjects.id: `a` is there twice'],
  ['subjects: [{id: a, needs: b}, {id: b}]', 'set.yml:1:27 subjects.needs: `b` must stand before `a`'],
  ['subjects: [{id: login}, {id: b, needs: [logn]}]', '`logn`; did you mean `login`'],
  ['subjects: [{id: a..b}]', 'expected an id such as'],
  ['subjects: [{id: a, tasks: x}]', 'there is no such key; did you mean `task`?'],
  ['', 'the file is empty'],
])('refuses %s with its place', (source, message) => {
  const parsed = parseSet(source, 'set.yml');
  expect(parsed.ok ? '' : parsed.problems.map(problemText).join('\n')).toContain(message);
});
