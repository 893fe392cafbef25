import createQrCode from 'qrcode-generator';

const QUIET_ZONE = 4;

/** The code is dark on white in both themes, because cameras need the contrast. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = createQrCode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const size = count + 2 * QUIET_ZONE;
  let path = '';
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count; column++) {
      if (code.isDark(row, column)) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`;
    }
  }
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="mx-auto size-48 rounded-lg bg-[#fff]"
    >
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
