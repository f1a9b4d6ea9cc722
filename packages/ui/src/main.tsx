import './styles/tokens.css';
import { render } from 'preact';

render(<p>Spillway</p>, document.body);
