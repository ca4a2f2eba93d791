import type { Camera } from '../around/pan-zoom.ts';
import type { WholeGraph } from './whole.worker.ts';

export type SceneLook = {
  /** One colour for each label, as [red, green, blue] from 0 to 255; undefined leaves the label out. */
  colors: readonly (readonly [number, number, number] | undefined)[];
  line: readonly [number, number, number];
};

/** Labels in a row of the texture that holds their colours. */
const textureWidth = 256;

/**
 * Draws a whole graph with two calls a frame: the arrays of the worker go to the graphics card as they are, once, and moving about only
 * changes three numbers. Undefined where the browser cannot.
 */
export function createScene(canvas: HTMLCanvasElement, whole: WholeGraph) {
  const gl = canvas.getContext('webgl2', { antialias: false, premultipliedAlpha: true });
  const program = gl && link(gl);
  if (!gl || !program) return undefined;
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  attribute(gl, 0, whole.x, 'float');
  attribute(gl, 1, whole.y, 'float');
  attribute(gl, 2, whole.label, 'integer');
  attribute(gl, 3, whole.size, 'integer');
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, whole.relationships, gl.STATIC_DRAW);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);

  const at = (name: string) => gl.getUniformLocation(program, name);
  const [view, window, pixels, mode, tint] = ['view', 'window', 'pixels', 'isLine', 'tint'].map(at);
  const lines = whole.relationships.length / 2;
  // The more lines, the fainter each, so that a crowd is a shade and not a wall.
  const faintest = Math.max(0.03, 6000 / Math.max(1, lines));
  const width = whole.x.reduce((most, x) => Math.max(most, x), 1);
  let line: SceneLook['line'] = [0, 0, 0];

  function drawLines(camera: Camera, density: number, share: number): void {
    gl?.uniform1i(mode ?? null, 1);
    // Whoever looks closer sees fewer of them.
    const alpha = Math.min(0.6, (faintest * camera.scale * width * density) / canvas.width / share);
    const [r, g, b] = line;
    gl?.uniform4f(tint ?? null, (r / 255) * alpha, (g / 255) * alpha, (b / 255) * alpha, alpha);
    gl?.drawElements(gl.LINES, Math.floor(lines * share) * 2, gl.UNSIGNED_INT, 0);
  }

  return {
    setLook(look: SceneLook): void {
      line = look.line;
      const rows = Math.max(1, Math.ceil(look.colors.length / textureWidth));
      const texels = new Uint8Array(rows * textureWidth * 4);
      for (const [label, color] of look.colors.entries()) if (color) texels.set([...color, 255], label * 4);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, textureWidth, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    },
    /** `camera` in the page's pixels, each of which is `density` pixels of the canvas; and how many of the lines, from 0 to 1. */
    draw(camera: Camera, density: number, share: number): void {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform3f(view ?? null, camera.x * density, camera.y * density, camera.scale * density);
      gl.uniform2f(window ?? null, canvas.width, canvas.height);
      gl.uniform1f(pixels ?? null, density);
      if (share > 0) drawLines(camera, density, share);
      gl.uniform1i(mode ?? null, 0);
      gl.drawArrays(gl.POINTS, 0, whole.x.length);
    },
  };
}

const vertexShader = `#version 300 es
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in uint label;
layout(location = 3) in uint size;
uniform sampler2D colors;
uniform vec3 view;
uniform vec2 window;
uniform float pixels;
uniform bool isLine;
uniform vec4 tint;
out vec4 color;
out float hidden;
void main() {
  vec4 own = texelFetch(colors, ivec2(int(label) % ${textureWidth}, int(label) / ${textureWidth}), 0);
  vec2 at = vec2(x, y) * view.z + view.xy;
  gl_Position = vec4(at.x / window.x * 2.0 - 1.0, 1.0 - at.y / window.y * 2.0, 0.0, 1.0);
  gl_PointSize = clamp(view.z * (0.55 + float(size) / 255.0), 1.3 * pixels, 18.0 * pixels);
  color = isLine ? tint : own;
  hidden = own.a > 0.0 ? 0.0 : 1.0;
}`;

const fragmentShader = `#version 300 es
precision mediump float;
in vec4 color;
in float hidden;
uniform bool isLine;
out vec4 pixel;
void main() {
  if (hidden > 0.0) discard;
  if (isLine) { pixel = color; return; }
  float far = length(gl_PointCoord - 0.5);
  float inside = 1.0 - smoothstep(0.42, 0.5, far);
  if (inside <= 0.0) discard;
  pixel = color * inside;
}`;

function link(gl: WebGL2RenderingContext): WebGLProgram | undefined {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertexShader],
    [gl.FRAGMENT_SHADER, fragmentShader],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) return undefined;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : undefined;
}

function attribute(
  gl: WebGL2RenderingContext,
  place: number,
  values: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
  kind: 'float' | 'integer',
): void {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(place);
  if (kind === 'float') gl.vertexAttribPointer(place, 1, gl.FLOAT, false, 0, 0);
  else gl.vertexAttribIPointer(place, 1, values.BYTES_PER_ELEMENT === 2 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE, 0, 0);
}
