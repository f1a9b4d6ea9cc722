/**
 * `tools.yaml`: definitions of tools, by name or as a list of maps with a `name`, at the top or
 * below `tools`. Of a definition only its `truncation` block is read; the other keys belong to
 * whoever runs the tool. A block of settings that stands where nothing reads it is a problem.
 */
import { nearest, type PolicyLayer } from '@spillway/core/plugin';
import { type ToolBlock, toolLayers } from './files.ts';
import { holdsSettings } from './keys.ts';
import type { Reading } from './reading.ts';
import type { Entry } from './yaml-file.ts';

const TRUNCATION = 'truncation';

export function readToolsFile(reading: Reading): readonly PolicyLayer[] {
  return toolLayers(
    reading,
    definitionsIn(reading).flatMap((definition) => blockOf(reading, definition)),
  );
}

/** Another program may have a file of that name: what is no definition says nothing to us. */
function definitionsIn(reading: Reading): Entry[] {
  const { yaml } = reading;
  const listed = yaml.elements(yaml.root);
  if (listed !== null) return namedElements(reading, listed);
  return (yaml.entries(yaml.root) ?? []).flatMap((entry) => {
    if (entry.key !== 'tools') return [entry];
    const elements = yaml.elements(entry.value);
    return elements === null ? (yaml.entries(entry.value) ?? [entry]) : namedElements(reading, elements);
  });
}

/** A definition in a list has its name inside. */
function namedElements(reading: Reading, elements: readonly Omit<Entry, 'key'>[]): Entry[] {
  const { yaml, problems } = reading;
  return elements.flatMap((element) => {
    const entries = yaml.entries(element.value) ?? [];
    const name = entries.find(({ key }) => key === 'name');
    const key = name === undefined ? undefined : yaml.scalar(name.value);
    if (typeof key === 'string') return [{ ...element, key }];
    const block = entries.find((entry) => entry.key === TRUNCATION);
    if (block !== undefined)
      problems.add(`${block.at}: truncation is for a tool without a name: give its definition a name.`);
    return [];
  });
}

function blockOf(reading: Reading, { key: tool, value, at }: Entry): ToolBlock[] {
  const { yaml, problems } = reading;
  if (tool === TRUNCATION && holdsSettings(reading, { key: tool, value, at })) {
    problems.add(
      `${at}: truncation stands in the definition of a tool here. Settings for every tool stand in .acode/config.yml.`,
    );
    return [];
  }
  return (yaml.entries(value) ?? []).flatMap((entry) => {
    if (entry.key === TRUNCATION) return [{ ...entry, key: tool, name: TRUNCATION }];
    if (nearest(entry.key, [TRUNCATION]) !== undefined && holdsSettings(reading, entry))
      problems.add(
        `${entry.at}: ${JSON.stringify(entry.key.slice(0, 60))} holds settings. Did you mean truncation?`,
      );
    return [];
  });
}
