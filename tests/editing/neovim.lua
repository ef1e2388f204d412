-- Neovim as a client of the XML language server: what an editor does with the settings that `polybody editor` writes.
vim.opt.swapfile = false
vim.opt.shadafile = "NONE"
vim.opt.termguicolors = true
vim.opt.background = "light"
vim.opt.number = true
vim.opt.signcolumn = "no"
vim.opt.laststatus = 0
vim.opt.ruler = false
vim.opt.showmode = false
vim.opt.shortmess:append("cFI")
vim.opt.completeopt = { "menuone", "noinsert", "preview" }
vim.opt.previewheight = 4
vim.cmd("syntax on | filetype off")
vim.cmd("highlight Normal guibg=#ffffff guifg=#24292f")
vim.cmd("highlight Pmenu guibg=#eaeef2 guifg=#24292f | highlight PmenuSel guibg=#0969da guifg=#ffffff")
vim.cmd("highlight LineNr guifg=#8c959f | highlight NonText guifg=#d0d7de")
vim.cmd("highlight DiagnosticError guifg=#cf222e | highlight DiagnosticUnderlineError guisp=#cf222e gui=underline")
vim.diagnostic.config({
  update_in_insert = true,
  virtual_text = { format = function(found) return (found.message:gsub("%s+", " ")) end },
})

-- Of the findings of a line Neovim writes out the last; Xerces begins with what is wrong.
local publish = vim.lsp.handlers["textDocument/publishDiagnostics"]
vim.lsp.handlers["textDocument/publishDiagnostics"] = function(fault, result, ...)
  local turned = {}
  for _, found in ipairs(result.diagnostics) do
    table.insert(turned, 1, found)
  end
  result.diagnostics = turned
  return publish(fault, result, ...)
end

local function attach()
  vim.bo.syntax = "xml"
  local plain = vim.lsp.protocol.make_client_capabilities()
  plain.textDocument.completion.completionItem.documentationFormat = { "plaintext" }
  local client = vim.lsp.start_client({
    cmd = vim.json.decode(os.getenv("POLYBODY_COMMAND")),
    root_dir = vim.fn.getcwd(),
    capabilities = plain,
    init_options = { settings = vim.json.decode(os.getenv("POLYBODY_SETTINGS")) },
    get_language_id = function() return "xml" end,
  })
  vim.lsp.buf_attach_client(0, client)
  vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
end

vim.api.nvim_create_autocmd("BufReadPost", { callback = attach })
