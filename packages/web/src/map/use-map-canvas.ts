import { type RefObject, useEffect, useRef, useState } from 'react';
import { useUi } from '../state/ui.ts';
import { type MapColours, readMapColours } from './map-colours.ts';

/** A canvas with its size and the colours of the theme. */
export interface MapCanvas {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly width: number;
  readonly height: number;
  readonly palette: MapColours | null;
}

/**
 * Resizes a canvas to its container and the screen's resolution, and reads the colours again when the theme changes.
 */
export function useMapCanvas(): MapCanvas {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useUi((ui) => ui.theme);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [palette, setPalette] = useState<MapColours | null>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const look = () => {
      if (host.current !== null && theme !== undefined) setPalette(readMapColours(host.current));
    };
    look();
    dark.addEventListener('change', look);
    return () => dark.removeEventListener('change', look);
  }, [theme]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const scale = window.devicePixelRatio || 1;
    element.width = Math.round(size.width * scale);
    element.height = Math.round(size.height * scale);
    element.style.width = `${size.width}px`;
    element.style.height = `${size.height}px`;
  }, [size]);
  return { host, canvas, ...size, palette };
}

/** Returns the drawing context of a canvas, scaled so that one unit is one CSS pixel; null without a canvas. */
export function getScaledCanvasContext(canvas: HTMLCanvasElement | null): CanvasRenderingContext2D | null {
  const context = canvas?.getContext('2d') ?? null;
  const scale = window.devicePixelRatio || 1;
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

/** The font of the map: that of the page. */
export function mapFontOf(host: HTMLElement | null): string {
  return host === null ? 'sans-serif' : getComputedStyle(host).fontFamily;
}
