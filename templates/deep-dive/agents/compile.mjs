// Writes the document: the front matter says what it describes and when it is stale.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs, metadata } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const legs = Object.values(needs.explore.legs);
const found = JSON.parse(readFileSync(needs.synthesis.file, 'utf8'));
const { focus, staleAfter } = metadata;
const text = (value) => JSON.stringify(value);
const row = (cells) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const items = (list) => list.map((item) => `- ${item}`).join('\n');
const parts = (map) =>
  Object.entries(map)
    .map(([title, list]) => `### ${title}\n${items(list)}`)
    .join('\n\n');

const document = `---
generated: ${text(new Date().toISOString())}
scope: ${text(focus === null ? 'full' : 'focused')}
focus_path: ${text(focus)}
expires_hint: "refresh when codebase significantly changes"
phase: "complete"
agent_count: ${legs.length}
phases:
  parallel_exploration:
    status: "complete"
    agents_spawned: ${legs.length}
    agents_completed: ${legs.filter(({ digest }) => digest !== null).length}
  synthesis:
    status: "complete"
  compilation:
    status: "complete"
commit: ${text(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim())}
stale_after: ${text(staleAfter)}
---

# Deep-Dive Context

## Repository Overview
${items(found.overview)}

## Architecture Map

${table(
  ['Component', 'Location', 'Purpose'],
  found.architecture.map((part) => [part.component, part.location, part.purpose]),
)}

## Conventions

${parts(found.conventions)}

## Anti-Patterns (DO NOT)

${items(found.antiPatterns)}

## Key Files Quick Reference

${table(
  ['Task', 'Look Here'],
  found.keyFiles.map(({ task, look }) => [task, look]),
)}

## Agent Notes

${parts(found.notes)}
`;
mkdirSync('.gateline/memory', { recursive: true });
writeFileSync('.gateline/memory/deep-dive.md', document);
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ document: '.gateline/memory/deep-dive.md' }));
