import { route } from './route.mjs';

route().then((answer) => console.log(JSON.stringify(answer)));
