import { AgentError, readWorkspace, setting, type Request } from '../protocol/protocol.ts';
import { parseField, type FieldRule } from './field-rule.ts';

/** A user story with its acceptance criteria, understood. */
export interface Story {
  readonly fields: readonly FieldRule[];
  /** Name of the button that sends the form. */
  readonly submit: string;
  /** Title of the dialog that shows what was taken. */
  readonly dialog: string;
  /** Name of the button that closes it. */
  readonly close: string;
  /** Messages with `<field>` in them. */
  readonly emptyMessage: string;
  readonly wrongMessage: string;
  /** Spaces around a value are not kept. */
  readonly trims: boolean;
  /** Criteria that no rule here understands. */
  readonly notUnderstood: readonly string[];
}

/** The story named by `with.story`, and the criteria of the metadata; a criterion there replaces the story's on the same field. */
export async function loadStory(request: Request): Promise<Story> {
  const path = setting(request, 'story');
  return parseStory(await readWorkspace(path, 'the story'), path, criteriaOf(request.metadata['acceptanceCriteria']));
}

/** A story from its Markdown. `path` is for messages. */
export function parseStory(markdown: string, path: string, further: readonly string[]): Story {
  const lines = markdown.split(/\r?\n/);
  const criteria = [...lines.flatMap((line) => /^\s*[-*] (.+)$/.exec(line)?.[1] ?? []), ...further];
  const fields = new Map<string, FieldRule>();
  const notUnderstood: string[] = [];
  for (const criterion of criteria) {
    const field = parseField(criterion);
    if (field) fields.set(field.key, field);
    else notUnderstood.push(criterion);
  }
  if (fields.size === 0)
    throw new AgentError(`${path} holds no field, such as "- First Name is required: text of 2 to 30 characters."`);
  return { fields: [...fields.values()], ...parseScenarios(lines, path), notUnderstood };
}

type Behaviour = Omit<Story, 'fields' | 'notUnderstood'>;

function parseScenarios(lines: readonly string[], path: string): Behaviour {
  const scenarios = scenariosOf(lines);
  const find = (what: string, given: RegExp, wanted: RegExp): string => {
    const scenario = scenarios.find((text) => given.test(text));
    const found = scenario && wanted.exec(scenario)?.[1];
    if (!found) throw new AgentError(`${path} does not say ${what}: no scenario matches ${given} with ${wanted}`);
    return found;
  };
  const dates = scenarios
    .map((text) => /a date reads like "([^"]+)"/.exec(text)?.[1])
    .find((example) => example !== undefined);
  if (dates !== undefined && !/^\d{1,2} [A-Z][a-z]+ \d{4}$/.test(dates))
    throw new AgentError(`${path}: dates can only read like "14 March 1999", not like "${dates}"`);
  const press = /^When I press "([^"]+)"/m;
  const says = /^Then the form says "([^"]+)"/m;
  return {
    submit: find('which button sends the form', /the dialog "[^"]+" lists/, press),
    dialog: find('which dialog confirms', /the dialog "[^"]+" lists/, /the dialog "([^"]+)" lists/),
    close: find('which button closes the dialog', /the dialog closes/, press),
    emptyMessage: find('what the form says of an empty field', /^Given a required field is empty/m, says),
    wrongMessage: find(
      'what the form says of a wrong value',
      /^Given a field holds a value that its rule does not allow/m,
      says,
    ),
    trims: scenarios.some((text) => /spaces around a value are not kept/.test(text)),
  };
}

/** Each scenario's steps, one a line, without indentation. */
function scenariosOf(lines: readonly string[]): string[] {
  const scenarios: string[] = [];
  for (const line of lines) {
    if (/^\s*Scenario:/.test(line)) scenarios.push('');
    else if (scenarios.length > 0) scenarios[scenarios.length - 1] += `${line.trim()}\n`;
  }
  return scenarios;
}

function criteriaOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new AgentError('metadata.acceptanceCriteria must be a list of texts');
  return value;
}
