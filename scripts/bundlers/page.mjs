// A page: the pure part of the library, without a store.
import { project } from '@spillway/core';

project(`${'a line\n'.repeat(9_000)}error: needle\nthe end\n`).then(({ text }) => {
  document.body.textContent = JSON.stringify({
    bounded: text.length <= 8_000,
    found: text.includes('needle'),
  });
});
