"""Sphinx's settings, read by Sphinx itself."""

project = "rmqspec"
html_title = "What a RocketMQ broker pair can lose"
html_theme = "furo"
language = "en"
smartquotes = False

extensions = [
    "myst_parser",
    "book.site.chinese",
    "book.site.extension",
    "book.site.long_names",
]
myst_heading_anchors = 6
myst_url_schemes = {
    **dict.fromkeys(("http", "https", "mailto", "ftp")),
    "explorer": "{{path}}#{{fragment}}",
}
myst_disable_syntax = ["myst_block_break", "myst_line_comment", "myst_role", "myst_target"]

pygments_style = "default"
pygments_dark_style = "github-dark"

html_static_path = ["static"]
html_css_files = ["book.css"]
html_copy_source = False
html_domain_indices = False
html_use_index = False
html_show_copyright = False
html_search_language = "book"
# An excerpt of a page would have to be fetched, which browsers refuse for files on a disk.
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True}
