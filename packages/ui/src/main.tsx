/** Starts the page: keeps the key, goes where the start address pointed, and shows the shell. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/log.css';
import './styles/views.css';
import { render } from 'preact';
import { takeKey } from './data/api-client.ts';
import { startLive } from './data/live.ts';
import { App } from './shell/app.tsx';
import { startKeys } from './shell/keys.ts';
import { navigate, startRouter } from './shell/router.ts';

const next = takeKey();
if (next !== undefined) navigate(next, { replace: true });
startRouter();
startKeys();
startLive();
const root = document.getElementById('app');
if (root) render(<App />, root);
