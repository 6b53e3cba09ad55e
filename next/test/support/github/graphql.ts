import { z } from 'zod';
import type { Github } from './github.ts';
import { json, parseBody, secondsOf, type Reply, type Request } from './http.ts';
import type { Comment, Repository, RestToken, User } from './model.ts';

/** Values of a type's fields; functions get the arguments. */
type GraphqlObject = Readonly<Record<string, unknown>> & { readonly __typename: string };
type Arguments = Readonly<Record<string, unknown>>;

interface Selection {
  readonly kind: 'field' | 'fragment';
  /** Of the field, or the type of the fragment. */
  readonly name: string;
  readonly alias: string;
  readonly args: Arguments;
  readonly selections: readonly Selection[];
}

const requestSchema = z.looseObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * The facts of comments that REST lacks: a small executor of queries with aliases, arguments, variables and inline
 * fragments. An unknown field is an error, as on GitHub. https://docs.github.com/graphql/reference/objects#issuecomment
 */
export function executeGraphql(github: Github, token: RestToken, request: Request): Reply {
  const { query, variables } = parseBody(requestSchema, request);
  try {
    const root = queryObject(github.repository(token.repository));
    return json(200, { data: resolve(root, parseQuery(query, variables ?? {})) });
  } catch (error) {
    return json(200, { errors: [{ message: String(error) }] });
  }
}

function queryObject(repository: Repository): GraphqlObject {
  const commentOf = (id: unknown): GraphqlObject | null => {
    const comment = repository.comments.find((other) => `IC_${other.id}` === id);
    return comment === undefined ? null : commentObject(comment);
  };
  const issue = ({ number }: Arguments): GraphqlObject => issueObject(repository, Number(number));
  const fields = { pullRequest: issue, issueOrPullRequest: issue, issue };
  return {
    __typename: 'Query',
    node: ({ id }: Arguments) => commentOf(id),
    nodes: ({ ids }: Arguments) => (Array.isArray(ids) ? ids.map(commentOf) : []),
    repository: ({ owner, name }: Arguments) =>
      `${String(owner)}/${String(name)}` === repository.name ? { __typename: 'Repository', ...fields } : null,
  };
}

function issueObject(repository: Repository, number: number): GraphqlObject {
  const comments = repository.comments.filter(({ issue }) => issue === number).map(commentObject);
  const deletions = repository.deletions.filter(({ issue }) => issue === number);
  const events = deletions.map(({ author, actor, createdAt }, index) => ({
    __typename: 'CommentDeletedEvent',
    id: `CDE_${index}`,
    createdAt: secondsOf(createdAt),
    actor: actorObject(actor),
    deletedCommentAuthor: actorObject(author),
  }));
  const timelineItems = ({ itemTypes, since, ...args }: Arguments): GraphqlObject => {
    if (JSON.stringify(itemTypes) !== '["COMMENT_DELETED_EVENT"]') throw new Error('only deletions are modelled');
    return connection(
      events.filter(({ createdAt }) => createdAt >= String(since ?? '')),
      args,
    );
  };
  return {
    __typename: 'PullRequest',
    number,
    comments: (args: Arguments) => connection(comments, args),
    timelineItems,
  };
}

function connection(items: readonly GraphqlObject[], { first, last, after }: Arguments): GraphqlObject {
  const size = Number(first ?? last ?? Number.NaN);
  if (!(size >= 1 && size <= 100)) throw new Error('`first` or `last` must be 1 to 100');
  const start = first === undefined ? Math.max(0, items.length - size) : Number(after ?? 0);
  const nodes = items.slice(start, start + size);
  const end = start + nodes.length;
  const pageInfo = {
    __typename: 'PageInfo',
    hasNextPage: end < items.length,
    hasPreviousPage: start > 0,
    endCursor: String(end),
  };
  return { __typename: 'Connection', totalCount: items.length, nodes, pageInfo };
}

function commentObject(comment: Comment): GraphqlObject {
  const { id, body, author, createdAt, updatedAt, lastEditedAt, createdViaEmail, isMinimized } = comment;
  return {
    __typename: 'IssueComment',
    id: `IC_${id}`,
    databaseId: id,
    body,
    author: actorObject(author),
    createdAt: secondsOf(createdAt),
    updatedAt: secondsOf(updatedAt),
    lastEditedAt: lastEditedAt === undefined ? null : secondsOf(lastEditedAt),
    includesCreatedEdit: lastEditedAt !== undefined,
    createdViaEmail,
    isMinimized,
  };
}

/** GraphQL writes the logins of bots without `[bot]`. */
function actorObject({ login, type }: User): GraphqlObject {
  return { __typename: type, login: login.replace(/\[bot\]$/, '') };
}

function resolve(value: unknown, selections: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, selections));
  if (value === null || selections.length === 0) return value;
  const object = value as GraphqlObject;
  return Object.fromEntries(selections.flatMap((selection) => entriesOf(object, selection)));
}

function entriesOf(object: GraphqlObject, { kind, name, alias, args, selections }: Selection): [string, unknown][] {
  if (kind === 'fragment') {
    if (name !== object.__typename) return [];
    return selections.flatMap((selection) => entriesOf(object, selection));
  }
  if (!Object.hasOwn(object, name)) throw new Error(`Field '${name}' doesn't exist on type '${object.__typename}'`);
  const field = object[name];
  const value: unknown = typeof field === 'function' ? field(args) : field;
  return [[alias, resolve(value, selections)]];
}

function parseQuery(query: string, variables: Arguments): Selection[] {
  const tokens: string[] = query.replaceAll(/#.*/g, '').match(/\.\.\.|"(?:[^"\\]|\\.)*"|[{}()[\]:$]|-?\d+|\w+/g) ?? [];
  // The head of a query, `query Name($id: ID!)`, says nothing that the variables do not.
  tokens.splice(0, tokens.indexOf('{'));
  const take = (): string => tokens.shift() ?? '';
  const readValue = (): unknown => {
    const token = take();
    if (token === '$') return variables[take()];
    if (token === '[') return readUntil(']', readValue);
    return /^(?:["\d-]|true$|false$|null$)/.test(token) ? JSON.parse(token) : token;
  };
  const readUntil = <T>(end: string, read: () => T): T[] => {
    const items: T[] = [];
    while (tokens[0] !== end) {
      if (tokens.length === 0) throw new Error(`Expected ${end}`);
      items.push(read());
    }
    take();
    return items;
  };
  const readArgument = (): [string, unknown] => {
    const name = take();
    take();
    return [name, readValue()];
  };
  const readSelections = (): Selection[] => {
    if (tokens[0] !== '{') return [];
    take();
    return readUntil('}', readSelection);
  };
  const readSelection = (): Selection => {
    const first = take();
    if (first === '...') {
      if (take() !== 'on') throw new Error('only inline fragments are modelled');
      const type = take();
      return { kind: 'fragment', name: type, alias: type, args: {}, selections: readSelections() };
    }
    const name = tokens[0] === ':' ? (take(), take()) : first;
    const args = tokens[0] === '(' ? (take(), Object.fromEntries(readUntil(')', readArgument))) : {};
    return { kind: 'field', name, alias: first, args, selections: readSelections() };
  };
  return readSelections();
}
