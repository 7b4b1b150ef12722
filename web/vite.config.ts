import { defineConfig, type Plugin } from "vite";

// Puts the script and the style into the page, so that it is one file that opens from disk. The
// script stands behind the body: it is no module, which browsers refuse to load from files.
function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") {
        throw new Error("expected a page");
      }
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          const tag = new RegExp(`\\s*<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`);
          const code = part.code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = html.replace(tag, "").replace("</body>", () => `<script>${code}</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          const tag = new RegExp(`\\s*<link[^>]*href="[^"]*${part.fileName}"[^>]*>`);
          html = html.replace(tag, () => `\n<style>${String(part.source).trim()}</style>`);
          delete bundle[name];
        }
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  server: { host: "127.0.0.1" }, // bare machines do not know localhost
  plugins: [inline()],
  build: {
    target: "es2020",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 30,
    chunkSizeWarningLimit: 4096,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
  test: { include: ["tests/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
