/** What each cause of keeping a block means, in a sentence for people. Others are cues by name. */
const MEANINGS: Readonly<Record<string, string>> = {
  position: 'It stands where this strategy always shows lines.',
  'beside an error': 'It is close to a line that tells of a failure.',
  'before a bad end': 'It stands before a step that ended badly.',
  end: 'It is near the end of the output.',
  beginning: 'It is near the beginning of the output.',
  new: 'It was not there when the same call last ended well.',
  section: 'It begins a section.',
  'structured data': 'It holds structured data.',
  names: 'It brings names that were not shown yet.',
  'asked for': 'It touches what the agent was asked for.',
  unusual: 'It has a shape that hardly any other line has.',
};

export function meaningOf(cause: string): string {
  return MEANINGS[cause] ?? `It is worded as tools word this: ${cause.replaceAll('_', ' ')}.`;
}
