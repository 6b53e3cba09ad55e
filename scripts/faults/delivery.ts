import type { Fault } from './fault.ts';

const PROOF = ['test/action/decisions/check-proof.test.ts'];
const COMMAND = ['test/action/decisions/comment-command.test.ts'];
const FORK = ['test/action/comments/fork-run.test.ts'];
const COMMENTS = ['test/action/workflows/comments.test.ts'];
const DELIVERY = ['test/compile/delivery.test.ts'];
const PATHS = ['test/run/files/delivered-paths.test.ts'];

/** Faults in commands that come as comments, in comments for forks, and in delivery. */
export const DELIVERY_FAULTS: readonly Fault[] = [
  {
    name: 'comments: an edited comment is a command',
    find: 'if (comment.updated_at !== comment.created_at)',
    replace: 'if (comment.updated_at < comment.created_at)',
    tests: PROOF,
    why: 'whoever may edit comments could decide in the name of another person',
  },
  {
    name: 'comments: a comment on another pull request decides',
    find: 'if (!comment.issue_url.endsWith(`/issues/${pull}`))',
    replace: 'if (!comment.issue_url.includes(`/issues/`))',
    tests: PROOF,
    why: 'an approval would open a gate of a pull request that nobody looked at',
  },
  {
    name: 'comments: whoever can comment can decide',
    find: "if (!user || user.type !== 'User' || !(await isPersonWhoMayWrite(rest, user.login)))",
    replace: 'if (!user)',
    tests: PROOF,
    why: 'in a public repository anybody could approve',
  },
  {
    name: 'comments: a comment proves whatever a check run says',
    find: 'if (!says(command, checked.decision, unit)) return {',
    replace: "if (command.do === 'status') return {",
    tests: PROOF,
    why: 'a job could name any comment, and approve any gate by it',
  },
  {
    name: 'comments: an earlier comment decides about a later run',
    find: 'if (!(Date.parse(about.createdAt) <= Date.parse(at))) return {',
    replace: 'if (!(Date.parse(about.createdAt) > 0)) return {',
    tests: PROOF,
    why: 'an approval could be used again for an output that its author never saw',
  },
  {
    name: 'comments: an approval of another commit counts',
    find: '!check.head_sha.startsWith(command.commit))',
    replace: 'check.head_sha === command.commit)',
    tests: PROOF,
    why: 'what was approved by commit would open a gate of another one',
  },
  {
    name: 'comments: a command may follow other characters',
    find: "if (!line.startsWith('/gateline') || (rest === undefined && line.trimEnd() !== '/gateline')) return undefined;",
    replace: '',
    tests: COMMAND,
    why: 'every comment would be answered',
  },
  {
    name: 'comments: a command acts on a commit that nobody saw',
    find: 'if (run.headSha === head) return { run };',
    replace: "if (run.headSha !== '') return { run };",
    tests: COMMENTS,
    only: 'does nothing for a moved head',
    why: 'an approval would apply while another commit is on its way',
  },
  {
    name: 'comments: a comment goes to any pull request of the branch',
    find: 'if (pull.head.sha !== run.headSha) return {',
    replace: "if (pull.head.sha === '') return {",
    tests: FORK,
    why: 'the results of an old commit would stand below a new one',
  },
  {
    name: 'comments: one of several pull requests is taken',
    find: 'if (!complete || others.length > 0) return {',
    replace: 'if (!complete) return {',
    tests: FORK,
    why: 'a fork could write into the pull request of another one',
  },
  {
    name: 'delivery: files that the job did not report are delivered',
    find: 'const other = ended.map(filesDigest).find((one) => !reported.has(one));',
    replace: 'const other = ended.map(filesDigest).find(() => reported.size === 0);',
    tests: DELIVERY,
    only: 'other files than its job reported',
    why: 'any job of the run could change what is committed',
  },
  {
    name: 'delivery: names of files are live text in a pull request',
    find: "return `- ${after === null ? 'removed' : 'changed'}: ${code(`${prefix}${path}`)}`;",
    replace: "return `- ${after === null ? 'removed' : 'changed'}: ${prefix}${path}`;",
    tests: DELIVERY,
    only: 'names of files are not live',
    why: 'an agent could mention people, or close issues, by the name of a file',
  },
  {
    name: 'delivery: a repeated step commits once more',
    find: 'const isOurs = tree.sha === plan.tree && parents[0]?.sha === plan.parent;',
    replace: 'const isOurs = false;',
    tests: DELIVERY,
    only: 'on the branch of the run, once',
    why: 'a re-run of the job would fail although everything is delivered',
  },
  {
    name: 'delivery: the branch of an earlier attempt is taken for another one',
    find: 'if ((await readCommit(rest, known)).tree.sha === plan.tree) return known;',
    replace: '',
    tests: DELIVERY,
    only: 'from a branch of its own, once',
    why: 'a re-run of the job would fail although the pull request is open',
  },
  {
    name: 'delivery: a workflow is refused in its usual spelling only',
    find: "RUN_BY_ITSELF.has(name.normalize('NFKC').toLowerCase())",
    replace: 'RUN_BY_ITSELF.has(name)',
    tests: PATHS,
    why: 'an agent could deliver a workflow to file systems that ignore case',
  },
  {
    name: 'delivery: a patch of a folder has paths from that folder',
    find: "return this.#diff(['--binary'], from, to, paths);",
    replace: "return this.#diff(['--binary', `--relative=${this.#prefix}`], from, to, paths);",
    tests: ['test/cli/sets-delivery.test.ts'],
    only: 'paths from the top of the repository',
    why: 'git would apply it nowhere, or over files of the whole repository that nobody allowed',
  },
  {
    name: 'delivery: an open pull request with more files is taken for the same delivery',
    find: 'if (!maySayTheSame(message, what)) continue;',
    replace: '',
    tests: DELIVERY,
    only: 'from a branch of its own, once',
    why: 'files that no gate hands on any more would be merged',
  },
  {
    name: 'delivery: a name with a line break is delivered',
    find: 'path.search(UNSEEN) >= 0',
    replace: "path.includes('\\0')",
    tests: ['test/run/files/delivered-paths.test.ts'],
    only: 'cannot be seen',
    why: 'a review would show another name than the file has',
  },
  {
    name: 'delivery: what legs of a matrix over data made of a file is overlooked',
    find: 'const { files: made, steps, open } = handedOn(graph, state, order.gates);',
    replace:
      "const { files: made, steps, open } = handedOn(new Map([...graph].filter(([key]) => !key.includes('/'))), state, order.gates);",
    tests: DELIVERY,
    only: 'however many an output asks for',
    why: 'nothing could be delivered that a gate puts together of the files of legs',
  },
  {
    name: 'delivery: learnings replace what a gate made of the document',
    find: '.filter(({ path }) => !steps.has(path))',
    replace: '',
    tests: ['test/compile/delivery.test.ts'],
    only: 'proposes no learning',
    why: 'the file that a gate made would be lost',
  },
  {
    name: 'delivery: learnings are delivered to everybody',
    find: 'documents: inputs.learnings ? await learned(view, definition.root) : [],',
    replace: 'documents: await learned(view, definition.root),',
    tests: ['test/compile/delivery.test.ts'],
    only: 'proposes no learning',
    why: 'text of agents would reach later agents of a team that did not ask for it',
  },
];
