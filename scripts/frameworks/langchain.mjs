// LangChain 0.3 has no middleware: it is refused in words.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/langchain';

spillway(await openAgent({ session: 'run', store: memoryStore() }));
